// The smallest set of facts whose error is small enough, where rows are weighed (chances.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "short_reasons/chances.hpp"

namespace cattleya::short_reasons {

struct ChanceWanted {
    std::int32_t max_size;
    double error, covered;  // at most so much is wrong, at least so much is covered
};

using FactSets = std::vector<std::vector<std::int32_t>>;

struct ChanceAnswer {
    FactSets best;  // the set of least error that was met of each size, from 0; none: ends there
    std::vector<double> error;       // of each, rounded
    bool is_settled_at_one = false;  // no single fact suffices, nor none: certain
};

// Best sets of each size by a beam; with `every_size` also beyond the first that suffices.
ChanceAnswer likely(const Chances& chances, const ChanceWanted& wanted, bool every_size,
                    bool is_ladder, Budget& budget);

// Whether a set of at most `max_size` facts suffices. All sets that do, or that rounding leaves
// open, up to the first that certainly does; where there are too many of them, `is_cut`.
struct ChanceProof {
    FactSets open;
    bool is_cut = false;
};
ChanceProof all_likely(const Chances& chances, const ChanceWanted& wanted, Budget& budget);

}  // namespace cattleya::short_reasons
