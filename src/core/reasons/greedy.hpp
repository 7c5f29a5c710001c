// One sufficient reason, by dropping what is not needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/clauses.hpp"

namespace cattleya::reasons {

// The greedy sufficient reason: starting from `start`, which must hit every clause, conditions
// are dropped in the order given as long as every clause stays hit. Irredundant by construction:
// a condition that could not go when it was tried cannot go later, when less is left.
std::vector<std::int32_t> greedy_hitting_set(const ClauseView& clauses,
                                             std::span<const std::int32_t> start,
                                             std::size_t n_conditions);

}  // namespace cattleya::reasons
