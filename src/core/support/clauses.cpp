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
    Vector<std::size_t> last(n_atoms, size());  // by atom: the last clause that has it
    for (std::size_t clause = 0; clause < size(); ++clause) {
        for (auto k = start[clause]; k < start[clause + 1]; ++k) {
            const std::int32_t a = atom[k];
            if (a < 0 || static_cast<std::size_t>(a) >= n_atoms) {
                throw std::invalid_argument("atom " + std::to_string(a) + " is out of range");
            }
            if (last[a] == clause) {
                throw std::invalid_argument("clause " + std::to_string(clause) + " has atom " +
                                            std::to_string(a) + " twice");
            }
            last[a] = clause;
        }
    }
}

}  // namespace cattleya
