// Uniform samples from all minimal hitting sets, however many there are.
#pragma once

#include <cstdint>

#include "counting/clause_set.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// `number` minimal hitting sets, each drawn independently and uniformly; atoms ascending. The same
// seed gives the same samples, on every machine, and a smaller number the first of them. Empty when
// there is none to draw from.
Vector<Vector<std::int32_t>> sample(const ClauseSet& clauses, std::int64_t number,
                                    std::uint64_t seed, Budget& budget);

}  // namespace cattleya::counting
