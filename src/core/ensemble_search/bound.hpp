// The quick bound: every tree by itself, at its leaf that is best for a rival.
//
// Starts from a single row and follows a box that only grows. A tree's bound changes only where a
// test that was decided by the box no longer is; what is behind such a test is then walked once.
// A box for which the bound holds has one outcome, which takes no search to prove.
#pragma once

#include <cstdint>
#include <span>

#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Bound {
   public:
    Bound(const Forest& forest, std::span<const Margin> rivals,
          std::span<const std::int32_t> cells);

    [[nodiscard]] const Box& box() const { return box_; }
    // Whether no rival can be reached, as far as the bound tells.
    [[nodiscard]] bool holds() const;

    // Whether it would still hold with a larger part of one attribute, as in `wider`; the box then
    // becomes larger.
    bool widen(std::int32_t attribute, const Box& wider, Budget& budget);
    // How much the bound would rise by: the part of the room that is left, of the closest rival.
    // Not `whole`: infinite as soon as it is known that the bound would fail.
    double rise(std::int32_t attribute, const Box& wider, bool whole, Budget& budget);
    // Makes the box larger, whether the bound holds or not.
    void force(std::int32_t attribute, const Box& wider, Budget& budget);

   private:
    struct Decided {
        std::int32_t tree, node;
    };

    // Walks what is new with `wider`; false as soon as the bound fails, unless `whole`.
    bool explore(std::int32_t attribute, const Box& wider, bool whole, Budget& budget);
    void commit(std::int32_t attribute);
    void copy(std::int32_t attribute, const Box& from, Box& to) const;
    [[nodiscard]] std::int64_t& top(std::int32_t tree, std::size_t rival) {
        return top_[static_cast<std::size_t>(tree) * rivals_.size() + rival];
    }

    const Forest& forest_;
    Vector<Margin> rivals_;
    Box box_, before_;
    Vector<std::int64_t> sum_, new_sum_;  // by rival
    Vector<std::int64_t> top_, new_top_;  // by tree and rival
    Vector<std::int32_t> stamp_, touched_, open_;
    std::int32_t now_ = 0;
    Vector<Vector<Decided>> decided_;  // by attribute: the tests that have one outcome
    Vector<Decided> met_;              // tests of one outcome in what was walked
};

}  // namespace cattleya::ensemble_search
