// Keeps of a family what is in its hitting sets of one given size, the least possible.
//
// Where as many clauses as the size are pairwise disjoint, a hitting set of that size has exactly
// one atom of each of them and no other: all other atoms go. Clauses shrink, contain others, become
// single atoms; then other disjoint clauses are found, which rule out other atoms, and so on. The
// disjoint clauses come from the reduction (reduction.hpp), which on decision trees finds enough of
// them nearly always; where it does not, nothing is ruled out, and the minimum is found by search.
#pragma once

#include <cstdint>
#include <optional>

#include "minimum/family.hpp"
#include "minimum/reduction.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

// A connected family and the size of its minimum hitting sets.
struct Part {
    Family family;
    std::int32_t size;
};

// The parts that are left when the reduction, which may have taken and dropped atoms before and
// goes on to do so here, has taken what must be in every hitting set of this size; nothing where
// there is no such set. The size must be at most the minimum.
std::optional<Vector<Part>> tighten(Reduction& reduction, std::int32_t size, Budget& budget);

}  // namespace cattleya::minimum
