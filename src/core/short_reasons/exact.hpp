// What is wrong under some facts, exactly: in whole numbers, where chances.hpp has floating point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/budget.hpp"
#include "support/natural.hpp"

namespace cattleya::short_reasons {

struct ExactTree {
    std::span<const std::int32_t> left, right;  // children, -1 at leaves
    std::span<const std::uint8_t> wrong;        // of leaves
    std::span<const std::int64_t> weight;       // of each node, what goes left and what goes right
    std::span<const std::uint8_t> is_decided;   // nodes that facts decide: as the row goes there
    std::span<const std::uint8_t> row_left;
};

// By training rows. What facts leave open falls into parts, each of which begins at the root or
// after a node that a fact decides. Of part i, `wrong[i]` training rows are in wrong leaves; what
// comes to it are the `before[i]` rows at its node, which are taken for the `after[i]` rows that
// went the row's way there: e(i) = wrong(i) + the sum of e(j) before(j) / after(j) over the parts j
// within it. What is wrong is e(0) by all rows.
struct Parts {
    std::vector<std::int32_t> parent;  // a part before it; -1 of the first
    std::vector<std::int64_t> before, after, wrong;
    std::int64_t covered = 0;  // the training rows in open leaves
};
Parts parts_of(const ExactTree& tree, Budget& budget);

// By masses of cells: the mass of the wrong leaves, each the product of the masses of what is left
// of every column, by `all`. Nodes without a column go by their weights, whose total of each
// category is among the `factors` of all.
struct ExactColumns {
    std::span<const std::int32_t> column, level;  // of nodes; column -1: goes by its weights
    std::span<const std::uint8_t> missing_left;
    std::span<const std::int32_t> n_cells;
    std::span<const std::int64_t> mass;         // as for chances.hpp
    std::span<const std::int32_t> first, last;  // of each column, the cells allowed
    std::span<const std::uint8_t> missing;      // and whether missing values are
    std::span<const std::int64_t> factors;
};
struct Masses {
    Natural wrong, all;
};
Masses masses_of(const ExactTree& tree, const ExactColumns& columns, Budget& budget);

}  // namespace cattleya::short_reasons
