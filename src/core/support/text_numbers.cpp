#include "support/text_numbers.hpp"

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cattleya {
namespace {

// As strtod does, whatever the locale: what is too large or too small for a double is infinite or
// zero.
bool read_in_c(const std::string& word, double& number) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    char* stop = nullptr;
    number = strtod_l(word.c_str(), &stop, plain);
    return stop == word.c_str() + word.size();
}

// Reads a word, and tells whether it is a number.
bool read(std::string_view word, double& number) {
#if defined(__cpp_lib_to_chars) && !defined(CATTLEYA_WITHOUT_FROM_CHARS)
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc::invalid_argument || stop != word.data() + word.size()) return false;
    if (error == std::errc{}) return true;
#else
    // LLVM's library has it for numbers with a point since 20, Apple's not yet. strtod takes more.
    const std::size_t first = word[0] == '-' ? 1 : 0;
    if (word.find_first_of("xX") != word.npos) return false;
    if (word.find_first_of("+ \t\n\v\f\r", first) == first) return false;
#endif
    return read_in_c(std::string(word), number);
}

}  // namespace

std::vector<double> numbers_in(std::string_view text) {
    std::vector<double> numbers;
    std::size_t at = 0;
    while (true) {
        while (at < text.size() && text[at] == ' ') ++at;
        if (at == text.size()) return numbers;
        const std::string_view word = text.substr(at, text.find(' ', at) - at);
        if (!read(word, numbers.emplace_back())) {
            throw std::invalid_argument("a text is no number");
        }
        at += word.size();
    }
}

}  // namespace cattleya
