// Numbers as a model reads them.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace cattleya {

// Rounds numbers to 32 bits, or leaves them as they are; -0 becomes 0. Nothing is left where one is
// not finite then.
inline std::vector<double> on_grid(std::span<const double> numbers, bool in_32_bits) {
    std::vector<double> rounded(numbers.size());
    bool finite = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double number = in_32_bits ? static_cast<float>(numbers[i]) : numbers[i];
        rounded[i] = number + 0.0;
        finite = finite && std::isfinite(number);
    }
    if (!finite) rounded.clear();
    return rounded;
}

}  // namespace cattleya
