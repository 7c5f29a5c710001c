// The leaves that rows of a box can reach, as lists: what each asks, and what it adds to a margin.
//
// They come from a walk through the trees, or from the tables of a larger box, which is quicker:
// only what is left of that box is looked at. A tree whose leaves all add the same is no list, but
// part of a constant.
#pragma once

#include <cstdint>
#include <span>

#include "ensemble_search/box.hpp"
#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

struct Tables;  // tables.hpp

// What a leaf asks of an attribute: cells from low to high, or missing; of a category, a set.
struct Ask {
    std::int32_t attribute;
    std::int32_t low, high;
    std::int32_t set;  // where it starts among the sets, of a category; -1 of a number
    std::uint8_t missing;
};

// The leaves of one tree, or of several joined.
struct Leaves {
    Vector<std::int64_t> weight;
    Vector<std::int64_t> first{0};  // in `ask`, and the end
    Vector<Ask> ask;                // by attribute of the ensemble, rising

    [[nodiscard]] std::size_t size() const { return weight.size(); }
    [[nodiscard]] std::span<const Ask> asks(std::size_t leaf) const {
        return {ask.data() + first[leaf], static_cast<std::size_t>(first[leaf + 1] - first[leaf])};
    }
    // The asks of the leaf were put at the end before.
    void add(std::int64_t leaf_weight) {
        weight.push_back(leaf_weight);
        first.push_back(static_cast<std::int64_t>(ask.size()));
    }
    void drop_asks() { ask.resize(static_cast<std::size_t>(first.back())); }
};

struct LeafLists {
    Vector<Leaves> lists;
    Vector<std::uint64_t> sets;  // that the asks of categories point to
    std::int64_t constant = 0;   // what all rows of the box have

    // Takes a list, as a part of the constant where all its leaves add the same.
    void take(Leaves&& leaves);
    // Where a list is long, and many of its leaves have its least weight, one that asks nothing
    // stands for these: what no row exceeds stays the same in every box, and there is less to ask.
    void merge_least();
    // What no row of the box exceeds.
    [[nodiscard]] std::int64_t highest() const;
};

LeafLists walked(const Forest& forest, const Margin& margin, const Box& box, Budget& budget);
LeafLists within(const Tables& tables, const Attributes& attributes, const Box& box,
                 Budget& budget);

}  // namespace cattleya::ensemble_search
