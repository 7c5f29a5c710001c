// The trees inside a box, without the tests that all its rows pass on one side: small, so that many
// rows of the box can be looked at one after the other. Of an adult forest of 500 full trees a
// typical box has one leaf in a hundred.
#pragma once

#include <cstdint>

#include "ensemble_search/box.hpp"
#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Pruned {
   public:
    Pruned(const Forest& forest, const Margin& margin, const Box& box, Budget& budget);

    // Those that have a test left.
    [[nodiscard]] std::int32_t n_trees() const { return static_cast<std::int32_t>(root_.size()); }
    [[nodiscard]] std::int32_t root(std::int32_t tree) const { return root_[tree]; }
    [[nodiscard]] const Node* nodes() const { return node_.data(); }
    // What a leaf adds to the margin.
    [[nodiscard]] std::int64_t weight(const Node& leaf) const { return weight_[leaf.level]; }
    // What all rows of the box have.
    [[nodiscard]] std::int64_t constant() const { return constant_; }

   private:
    Vector<Node> node_;  // the left child follows its parent
    Vector<std::int32_t> root_;
    Vector<std::int64_t> weight_;
    std::int64_t constant_;
};

}  // namespace cattleya::ensemble_search
