// The smallest set of facts among whose rows a wanted share has the outcome.
//
// `search` finds one, and the safest of each size that it met; `smaller` decides whether a set of a
// given size exists at all. Both are exact in what they count, and depend on nothing but their
// arguments: no chance, no threads, no clock (but for a deadline, which ends them).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "short_reasons/table.hpp"
#include "support/budget.hpp"

namespace cattleya::short_reasons {

struct Wanted {
    std::int32_t outcome;
    std::int32_t max_size;
    std::int64_t least_rows;          // a set must have so many rows, at least one
    std::int64_t share_of, share_in;  // the share that must be right: share_of / share_in

    [[nodiscard]] bool is_reached(const Counts& counts) const {
        __extension__ using Wide = __int128;
        return Wide{counts.right} * share_in >= Wide{share_of} * counts.rows();
    }
};

struct Found {
    std::vector<std::int32_t> facts;  // in order
    Counts counts;
    std::int32_t bound = 0;  // how safe its share is (wilson.hpp)

    // The safer is better; then the wider; then the first in the order of facts.
    [[nodiscard]] bool is_better_than(const Found& other) const {
        if (bound != other.bound) return bound > other.bound;
        if (counts.rows() != other.counts.rows()) return counts.rows() > other.counts.rows();
        return facts < other.facts;
    }
};

struct Answer {
    std::vector<std::optional<Found>> best;  // by size, from 0
    std::optional<Found> reached;
    std::int32_t at_least = 0;  // no set with fewer facts reaches the share: proved
};

// With `every_size`, all sizes are searched, also those above the first that reaches the share. A
// ladder has one set per size, each the safest with one fact more than the one before.
Answer search(const Table& table, const Facts& facts, const Wanted& wanted, bool every_size,
              bool is_ladder, Budget& budget);

// A set of at most `size` facts that reaches the share, if there is one: the search is exhaustive.
std::optional<Found> smaller(const Table& table, const Facts& facts, const Wanted& wanted,
                             std::int32_t size, Budget& budget);

}  // namespace cattleya::short_reasons
