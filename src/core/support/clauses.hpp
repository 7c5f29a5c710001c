// Clauses over numbered atoms: what every search for reasons gives, and every question about
// hitting sets takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/vector.hpp"

namespace cattleya {

// Clause i is atom[start[i]] .. atom[start[i + 1] - 1]; smaller clauses come first.
struct Clauses {
    Vector<std::int64_t> start{0};
    Vector<std::int32_t> atom;
};

struct ClauseView {
    std::span<const std::int64_t> start;
    std::span<const std::int32_t> atom;

    [[nodiscard]] std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }

    // Throws std::invalid_argument unless this is a list of clauses over 0..n_atoms-1, none of
    // which has an atom twice.
    void check(std::size_t n_atoms) const;
};

}  // namespace cattleya
