#include "support/text_numbers.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cattleya {
namespace {

// Numbers that are too large or too small for a double are, as strtod has it, infinite or zero.
double rounded(std::string_view digits) {
    return std::strtod(std::string(digits).c_str(), nullptr);
}

}  // namespace

std::vector<double> numbers_in(std::string_view text) {
    std::vector<double> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        while (at != end && *at == ' ') ++at;
        if (at == end) return numbers;
        double number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error == std::errc::invalid_argument || (stop != end && *stop != ' ')) {
            throw std::invalid_argument("a text is no number");
        }
        if (error == std::errc::result_out_of_range) number = rounded({at, stop});
        numbers.push_back(number);
        at = stop;
    }
}

}  // namespace cattleya
