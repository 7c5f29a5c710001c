// The quick bound: every tree by itself, at its leaf that is best for a rival.
//
// Starts from a single row and follows a box that only grows. A tree's bound changes only where a
// test that was decided by the box no longer is; what is behind such a test is then walked once,
// and not at all where no leaf can raise the bound (peaks.hpp).
// A box for which the bound holds has one outcome, which takes no search to prove.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ensemble_search/forest.hpp"
#include "ensemble_search/peaks.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Bound {
   public:
    // The cells, those of the row, are not copied.
    Bound(const Forest& forest, std::span<const Margin> rivals, std::span<const std::int32_t> cells,
          Budget& budget);

    [[nodiscard]] const Box& box() const { return box_; }
    // Whether no rival can be reached, as far as the bound tells.
    [[nodiscard]] bool holds() const;

    // Whether it would still hold with a larger part of one attribute, as in `wider`; the box then
    // becomes larger.
    bool widen(std::int32_t attribute, const Box& wider, Budget& budget);
    // Widens one side of a number, which is fixed on it, as far as the bound lets it, but for the
    // last cell: level by level, so that little more is walked than what the box can reach then.
    void stretch(std::int32_t attribute, bool low, Budget& budget);
    // How much the bound would rise by: the part of the room that is left, of the closest rival.
    // Not `whole`: infinite as soon as it is known that the bound would fail.
    double rise(std::int32_t attribute, const Box& wider, bool whole, Budget& budget);
    // Makes the box larger, whether the bound holds or not.
    void force(std::int32_t attribute, const Box& wider, Budget& budget);

   private:
    struct Test {
        std::int32_t tree, node;
    };
    // A test that the box decides, in the list of those of its attribute.
    struct Decided {
        Test test;
        std::int32_t next;  // in `decided_`; -1 is the end
    };
    // A part of the box, as a walk asks for it. Where no cell is left, `low` is above all levels
    // and `high` below.
    struct Part {
        std::int32_t low, high;
        bool missing, is_category;
    };

    void see(std::int32_t attribute);
    // The side of a decided test that the row, and with it the box, is not on.
    [[nodiscard]] std::int32_t behind(const Node& n) const {
        return forest_.goes_left(n, cells_[n.attribute]) ? n.right : n.left;
    }
    void begin();
    [[nodiscard]] int sides(const Node& n) const {
        const Part& part = part_[n.attribute];
        if (part.is_category) return forest_.sides(n, box_);
        int found = static_cast<int>(part.low <= n.level) | static_cast<int>(part.high > n.level)
                                                                << 1;
        if (part.missing) found |= n.missing_left != 0 ? 1 : 2;
        return found;
    }
    // The largest weight of a leaf below a node, as far as that is known.
    [[nodiscard]] std::int64_t peak(std::size_t rival, std::int32_t tree, std::int32_t node) const {
        if (const std::int64_t* const known = peaks_[rival]; known != nullptr) return known[node];
        const Node& n = forest_.node(node);
        return n.attribute >= 0 ? std::numeric_limits<std::int64_t>::max()
                                : forest_.weight(rivals_[rival], tree, n);
    }
    // Walks what is new behind a test that the box decided and no longer does; false as soon as the
    // bound fails, unless `whole`.
    bool open(const Test& test, bool whole) {
        return rivals_.size() == 1 ? walk<1>(test, whole) : walk<0>(test, whole);
    }
    template <std::size_t n_rivals>  // 0: as many as there are
    bool walk(const Test& test, bool whole);
    // Walks what is new with `wider`; false as soon as the bound fails, unless `whole`.
    bool explore(std::int32_t attribute, const Box& wider, bool whole, Budget& budget);
    void raise();
    void commit(std::int32_t attribute);
    void keep(const Test& test);

    const Forest& forest_;
    std::span<const std::int32_t> cells_;
    Vector<Margin> rivals_;
    Vector<Peaks::ByNode> held_;  // the peaks by rival
    Vector<const std::int64_t*> peaks_;
    Box box_, before_;
    Vector<Part> part_;                   // of the box, by attribute
    Vector<std::int64_t> sum_, new_sum_;  // by rival
    Vector<std::int64_t> top_, new_top_;  // by tree and rival
    Vector<std::int32_t> stamp_, touched_, open_;
    std::int32_t now_ = 0;
    std::int64_t walked_ = 0;
    Vector<Decided> decided_;
    Vector<std::int32_t> first_;  // by attribute, in `decided_`
    Vector<Test> met_;            // tests that the box decides, in what was walked
    // A heap of tests that a side which is stretched decides, with their levels, the nearest on
    // top.
    Vector<std::pair<std::int32_t, Test>> later_;
};

}  // namespace cattleya::ensemble_search
