// Quick bounds on the least weight of a hitting set, from both sides.
#pragma once

#include <cstdint>
#include <span>

#include "minimum/family.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

inline Weight weight_of(std::int32_t tag, std::span<const Weight> weights) {
    return weights.empty() ? 1 : weights[tag];
}

// Clauses pay, small ones first, as much as all their atoms still have to give: every hitting set
// weighs at least what was paid.
Weight lower_bound(const Family& family, std::span<const Weight> weights, Budget& budget);

// A hitting set: the atom that hits the most for its weight, again and again, and then without
// those that turn out not to be needed.
Vector<std::int32_t> greedy_set(const Family& family, std::span<const Weight> weights,
                                Budget& budget);

}  // namespace cattleya::minimum
