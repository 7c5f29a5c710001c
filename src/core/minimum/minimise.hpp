// One hitting set of least weight, proved: reduction, and branch and bound on what it leaves.
//
// A part that is left is connected, and no rule applies to it. It is searched by taking or dropping
// its busiest atom, which is then reduced and falls into parts again; these are solved one by one,
// each within what the best set known and the lower bounds of the others leave it. A lower bound
// pays for clauses from the weights of their atoms (disjoint clauses, where there are no weights);
// the first set known is greedy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "minimum/family.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

constexpr Weight kNoLimit = ~Weight{0};

// The tags of a hitting set of least weight, or nothing where that exceeds the limit. The weights
// are by tag; where there are none, all are 1.
std::optional<Vector<std::int32_t>> minimise(Family family, Budget& budget, Weight limit = kNoLimit,
                                             std::span<const Weight> weights = {});

}  // namespace cattleya::minimum
