// What boosting libraries make of the sums of a row: logistic, softmax, exponential.
//
// They call the C library, one number at a time. numpy has its own exponentials, some of which
// differ from those in the last bit, and a probability would as well: so the C library is called
// here, too, in the order and in the precision of each library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace cattleya::ensemble {

// Changes the numbers in place; each row has `width` of them. Of XGBoost: "logistic", "softmax",
// "exp", and for its intercepts "logit" and "log". Throws std::invalid_argument for other names,
// and where the numbers are no whole rows.
void link(std::string_view name, std::span<float> sums, std::size_t width);

// Of LightGBM and CatBoost: "logistic", "softmax", "exp", "log1p_exp".
void link(std::string_view name, std::span<double> sums, std::size_t width);

}  // namespace cattleya::ensemble
