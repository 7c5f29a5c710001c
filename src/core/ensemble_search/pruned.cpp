#include "ensemble_search/pruned.hpp"

namespace cattleya::ensemble_search {

Pruned::Pruned(const Forest& forest, const Margin& margin, const Box& box, Budget& budget)
    : constant_(margin.constant) {
    struct Step {
        std::int32_t node,
            parent;  // whose right child it is; -1: the child that follows, or a root
    };
    Vector<Step> open;
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        const auto root = static_cast<std::int32_t>(node_.size());
        std::int64_t walked = 0;
        open.assign(1, {forest.root(t), -1});
        while (!open.empty()) {
            const Step step = open.back();
            open.pop_back();
            std::int32_t n = step.node;
            int sides = 3;
            for (; forest.node(n).attribute >= 0; ++walked) {
                sides = forest.sides(forest.node(n), box);
                if (sides == 3) break;
                n = sides == 1 ? forest.node(n).left : forest.node(n).right;
            }
            const auto here = static_cast<std::int32_t>(node_.size());
            if (step.parent >= 0) node_[step.parent].right = here;
            node_.push_back(forest.node(n));
            if (node_.back().attribute < 0) {
                node_.back().level = static_cast<std::int32_t>(weight_.size());
                weight_.push_back(forest.weight(margin, t, forest.node(n)));
                continue;
            }
            node_.back().left = here + 1;
            open.push_back({forest.node(n).right, here});
            open.push_back({forest.node(n).left, -1});
        }
        budget.tick(walked * 5);
        if (static_cast<std::int32_t>(node_.size()) == root + 1) {
            constant_ += weight_.back();
            weight_.pop_back();
            node_.pop_back();
        } else {
            root_.push_back(root);
        }
    }
}

}  // namespace cattleya::ensemble_search
