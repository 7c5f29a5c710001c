// Which attributes can a row of another outcome change, if it changes few?
//
// A row that changes the attributes of a set, and no others, comes in each tree to a leaf that
// disagrees with the given row in attributes of the set only. The largest weights of such leaves,
// added up, are what no such row exceeds. Few sets of two or three attributes pass this bound; on
// spambase's forests of 25 trees a hundred of 29,000, where a search over all cells took seconds.
//
// The sets are found by adding one attribute after the other. What a leaf would add is shared out
// among the attributes that it still needs; so a sum of shares bounds what any further attributes
// add, and the last attribute's share is exact.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ensemble_search/box.hpp"
#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

constexpr int kFew = 6;  // attributes, at the most

struct FewAttributes {
    std::int64_t room;  // by how much the bound is above what the rival needs
    std::int32_t count;
    std::array<std::int32_t, kFew> attribute;  // rising

    [[nodiscard]] std::span<const std::int32_t> all() const {
        return {attribute.data(), static_cast<std::size_t>(count)};
    }
};

class FewChanges {
   public:
    // About rows of the box, which contains the row itself.
    FewChanges(const Forest& forest, const Margin& margin, std::span<const std::int32_t> row,
               const Box& box)
        : forest_(forest), margin_(margin), row_(row), box_(box) {}

    // Adds all sets of so many attributes that a rival's row may change, each once; false where
    // they are more than a few, or very many, or that takes more than so much work, in nanoseconds.
    bool find(int count, std::int64_t most_work, Vector<FewAttributes>& found, Budget& budget);

   private:
    // A leaf that adds more than those that need none of the attributes that are left.
    struct Leaf {
        std::int64_t more;
        std::int32_t tree, count;
        std::array<std::int32_t, kFew> needs;
    };
    // What is left with some attributes changed: which one comes next, the most promising first.
    struct Level {
        std::int64_t room;  // of the bound without any further attribute
        Vector<Leaf> leaves;
        Vector<std::int32_t> next;  // the last one comes first
    };

    bool walk(int count, std::int64_t most_work, Budget& budget);
    void open(Level& level, int count);
    void add(Level& level, std::int32_t attribute, int count, Level& to);

    const Forest& forest_;
    const Margin& margin_;
    std::span<const std::int32_t> row_;
    const Box& box_;
    Vector<Level> levels_;
    Vector<std::int64_t> share_, largest_;  // by attribute; the largest in the tree
    Vector<std::int64_t> seen_;             // by attribute: in which tree, ...
    std::int64_t trees_ = 0;                // ... counted on
    std::int64_t work_ = 0;
};

}  // namespace cattleya::ensemble_search
