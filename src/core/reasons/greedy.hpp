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
//
// Kept from one row to the next: its memory is that of the largest.
class Greedy {
   public:
    explicit Greedy(std::size_t n_conditions) : place_(n_conditions, kAbsent) {}

    // Appends what is left of `start` to `kept`. The clauses are not checked.
    void operator()(const ClauseView& clauses, std::span<const std::int32_t> start,
                    std::vector<std::int32_t>& kept);

   private:
    static constexpr std::int32_t kAbsent = -1;

    std::vector<std::int32_t> place_;  // by condition: where it is in the start
    std::vector<std::int32_t> hits_;   // by clause: how many conditions hit it
    // By place, the clauses that it hits: on_[first_[place]] .. on_[first_[place + 1] - 1].
    std::vector<std::int32_t> first_, on_;
};

// The same of clauses that come from outside.
std::vector<std::int32_t> greedy_hitting_set(const ClauseView& clauses,
                                             std::span<const std::int32_t> start,
                                             std::size_t n_conditions);

}  // namespace cattleya::reasons
