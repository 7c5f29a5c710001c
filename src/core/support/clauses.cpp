#include "support/clauses.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cattleya {

void ClauseView::check(std::size_t n_atoms) const {
    if (start.empty() || start.front() != 0 ||
        start.back() != static_cast<std::int64_t>(atom.size()) ||
        !std::is_sorted(start.begin(), start.end())) {
        throw std::invalid_argument("start does not divide the atoms into clauses");
    }
    for (const std::int32_t a : atom) {
        if (a < 0 || static_cast<std::size_t>(a) >= n_atoms) {
            throw std::invalid_argument("atom " + std::to_string(a) + " is out of range");
        }
    }
}

}  // namespace cattleya
