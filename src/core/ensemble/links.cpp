#include "ensemble/links.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace cattleya::ensemble {
namespace {

// XGBoost: a small number keeps the sum from 0 (it never changes a bit), and an upper limit the
// exponential from infinity.
float logistic(float x) { return 1.0F / (std::exp(std::min(-x, 88.7F)) + 1.0F + 1e-16F); }
float logit(float x) { return -std::log(1.0F / x - 1.0F); }
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The sum of the exponentials is a double in every library, whatever its numbers are.
template <class T>
void softmax(std::span<T> row) {
    const T largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (T& x : row) {
        x = std::exp(x - largest);
        sum += x;
    }
    for (T& x : row) x /= static_cast<T>(sum);
}

template <class T>
void softmax_of_rows(std::span<T> sums, std::size_t width) {
    if (width == 0 || sums.size() % width != 0) {
        throw std::invalid_argument("the numbers are no whole rows of " + std::to_string(width));
    }
    for (std::size_t at = 0; at < sums.size(); at += width) softmax(sums.subspan(at, width));
}

template <class T, class F>
void each(std::span<T> sums, F function) {
    for (T& x : sums) x = function(x);
}

[[noreturn]] void unknown(std::string_view name) {
    throw std::invalid_argument("there is no link called '" + std::string(name) + "'");
}

}  // namespace

void link(std::string_view name, std::span<float> sums, std::size_t width) {
    if (name == "softmax") return softmax_of_rows(sums, width);
    if (name == "logistic") return each(sums, [](float x) { return logistic(x); });
    if (name == "exp") return each(sums, [](float x) { return std::exp(x); });
    if (name == "logit") return each(sums, [](float x) { return logit(x); });
    if (name == "log") return each(sums, [](float x) { return std::log(x); });
    unknown(name);
}

void link(std::string_view name, std::span<double> sums, std::size_t width) {
    if (name == "softmax") return softmax_of_rows(sums, width);
    if (name == "logistic") return each(sums, [](double x) { return logistic(x); });
    if (name == "exp") return each(sums, [](double x) { return std::exp(x); });
    if (name == "log1p_exp") return each(sums, [](double x) { return std::log1p(std::exp(x)); });
    unknown(name);
}

}  // namespace cattleya::ensemble
