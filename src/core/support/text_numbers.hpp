// Numbers in a text, with spaces between them.
#pragma once

#include <string_view>
#include <vector>

namespace cattleya {

// Each correctly rounded, as Python's `float` reads it. Throws std::invalid_argument where
// something is no number.
[[nodiscard]] std::vector<double> numbers_in(std::string_view text);

}  // namespace cattleya
