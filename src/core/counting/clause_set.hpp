// The input of every counting question: a set of clauses over numbered atoms.
#pragma once

#include <cstdint>

#include "support/vector.hpp"

namespace cattleya::counting {

// Clause c consists of atom[start[c]], ..., atom[start[c + 1] - 1]: each atom at most once, each
// less than n_atoms.
struct ClauseSet {
    std::int32_t n_atoms = 0;
    Vector<std::int64_t> start = {0};
    Vector<std::int32_t> atom;

    std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

}  // namespace cattleya::counting
