// Better rows: one attribute of a row is moved to the cell where all trees together add most to a
// margin. One walk through the trees gives the sums of all cells of a number.
#pragma once

#include <cstdint>

#include "ensemble_search/forest.hpp"
#include "ensemble_search/pruned.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Climb {
   public:
    Climb(const Forest& forest, const Margin& margin)
        : forest_(forest),
          margin_(margin),
          node_(&forest.node(0)),
          n_trees_(forest.n_trees()),
          constant_(margin.constant) {}
    // The same inside the box of pruned trees: no row may leave it.
    Climb(const Forest& forest, const Margin& margin, const Pruned& pruned)
        : forest_(forest),
          margin_(margin),
          pruned_(&pruned),
          node_(pruned.nodes()),
          n_trees_(pruned.n_trees()),
          constant_(pruned.constant()) {}

    // Whether there is a better cell from `first` to `last`; the row then has it.
    bool number(Vector<std::int32_t>& cells, std::int32_t attribute, std::int32_t first,
                std::int32_t last, Budget& budget);
    // The same in a set.
    bool category(Vector<std::int32_t>& cells, std::int32_t attribute, const std::uint64_t* set,
                  Budget& budget);
    // What all trees add to the margin at each cell from `first` to `last`; of a category, with
    // each.
    const Vector<std::int64_t>& sums(const Vector<std::int32_t>& cells, std::int32_t attribute,
                                     std::int32_t first, std::int32_t last, Budget& budget);
    // Moves all attributes in turn, inside a box that has the row, until the outcome is another one
    // than the margin's own; false where no move is better, or after some rounds.
    bool leaves(Vector<std::int32_t>& cells, const Box& box, Budget& budget);
    // The same from several rows near the best one so far, with some attributes drawn at random.
    bool leaves_by_kicks(Vector<std::int32_t>& cells, const Box& box, int kicks, Budget& budget);

   private:
    // Bits of attributes; several may share one.
    [[nodiscard]] static std::uint64_t bit(std::int32_t attribute) {
        return std::uint64_t{1} << (attribute % 64);
    }
    // The leaf of a row; also marks what is asked on the way.
    std::int32_t leaf_of(std::int32_t tree, const Vector<std::int32_t>& cells,
                         std::uint64_t& asked) const;
    void look_at(const Vector<std::int32_t>& cells, Budget& budget);
    std::int64_t others(std::int32_t attribute);
    bool move(Vector<std::int32_t>& cells, const Box& box, std::int32_t attribute, Budget& budget);
    [[nodiscard]] std::int32_t root(std::int32_t tree) const {
        return pruned_ != nullptr ? pruned_->root(tree) : forest_.root(tree);
    }
    [[nodiscard]] std::int64_t weight(std::int32_t tree, const Node& leaf) const {
        return pruned_ != nullptr ? pruned_->weight(leaf) : forest_.weight(margin_, tree, leaf);
    }

    struct Part {
        std::int32_t node, low, high;
    };

    const Forest& forest_;
    const Margin& margin_;
    const Pruned* pruned_ = nullptr;
    const Node* node_;
    std::int32_t n_trees_;
    std::int64_t constant_;
    // The row that was looked at last: what each tree adds, all together, and what each asks.
    Vector<std::int32_t> at_;
    Vector<std::int64_t> added_;
    std::int64_t here_ = 0;
    Vector<std::uint64_t> asked_;
    Vector<std::int32_t> concerned_, moved_;
    Vector<std::int64_t> sum_;
    Vector<Part> open_;
};

}  // namespace cattleya::ensemble_search
