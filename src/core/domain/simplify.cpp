// The smallest tree that is left when splits go.
//
// Branches that no row reaches are not in a ``DomainTree`` to begin with. Of those that are, a
// split goes when one of its sides takes its place: the other splits stay in their order, and
// what is left must decide as before about every row of the domain. The trees that a subtree can
// become are found from below. At each split three are compared: the split with the best of both
// sides; what is left of the left side when it has to decide about the rows of both; and the same
// of the right side. The latter two are looked for from above, and mostly excluded at once: two
// rows that differ only across the split and are decided differently show that it is needed,
// unless there is the same split further down.
#include <map>

#include "domain/box.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerNode = 20;   // nanoseconds, roughly
constexpr std::int64_t kMostSteps = 20000;  // of one attempt to let a split go
constexpr std::int32_t kDeepest = 500;      // of the same
constexpr std::int32_t kNone = -1;

bool has_bit(const std::uint64_t* words, std::int32_t bit) {
    return (words[bit / 64] >> (bit % 64) & 1) != 0;
}

}  // namespace

class DomainTree::Simplifier {
   public:
    Simplifier(const DomainTree& tree, Budget& budget)
        : tree_(tree), budget_(budget), box_(tree), end_(tree.node_.size()) {
        const auto n_nodes = static_cast<std::int32_t>(tree.node_.size());
        for (std::int32_t node = n_nodes - 1; node >= 0; --node) {
            const Node& own = tree_.node_[node];
            end_[node] = own.is_leaf() ? node + 1 : end_[own.right];
        }
        for (std::int32_t node = 0; node < n_nodes; ++node) {
            if (!tree_.node_[node].is_leaf()) where_[key(tree_.node_[node].test)].push_back(node);
        }
    }

    SmallTree run() {
        struct Frame {
            std::int32_t node;
            std::int8_t stage;
            std::int32_t first;  // what the left side has become
        };
        Vector<Frame> open;
        std::int32_t made = kNone;  // what the last subtree has become
        const auto enter = [&](std::int32_t node) {
            const std::int32_t test = tree_.node_[node].test;
            if (tree_.node_[node].is_leaf()) {
                made = add(test, kNone, kNone);
            } else {
                box_.keep(tree_.attribute_[test]);
                open.push_back({node, 0, kNone});
            }
        };
        enter(0);
        while (!open.empty()) {
            budget_.tick(kWorkPerNode);
            Frame& top = open.back();
            const std::int32_t node = top.node;
            const std::int32_t test = tree_.node_[node].test;
            const std::int8_t stage = top.stage++;
            if (stage > 0) box_.restore(tree_.attribute_[test]);
            if (stage == 1) top.first = made;
            if (stage < 2) {
                box_.restrict(test, stage == 0);
                enter(stage == 0 ? node + 1 : tree_.node_[node].right);
                continue;
            }
            const std::int32_t first = top.first;
            box_.forget(tree_.attribute_[test]);
            open.pop_back();
            made = best(node, add(test, first, made));
        }
        return told(made);
    }

   private:
    struct Made {
        std::int32_t test;  // at a leaf, ~class
        std::int32_t left, right;
        std::int32_t leaves;
    };

    std::int32_t add(std::int32_t test, std::int32_t left, std::int32_t right) {
        const std::int32_t leaves = test < 0 ? 1 : made_[left].leaves + made_[right].leaves;
        made_.push_back({test, left, right, leaves});
        return static_cast<std::int32_t>(made_.size()) - 1;
    }

    // The split with both sides, or what one side becomes in its place, if that is smaller.
    std::int32_t best(std::int32_t node, std::int32_t kept) {
        const std::int32_t test = tree_.node_[node].test;
        const bool shows = is_needed(node, test);
        for (const std::int32_t side : {node + 1, tree_.node_[node].right}) {
            if (shows && !has_test(side, test)) continue;
            steps_ = 0;
            const std::int32_t other = left_of(side, node, 0);
            if (steps_ > kMostSteps) smallest_ = false;
            if (other != kNone && made_[other].leaves < made_[kept].leaves) kept = other;
        }
        return kept;
    }

    // What is left of the subtree at `node` when it has to decide about the box as `as` does.
    std::int32_t left_of(std::int32_t node, std::int32_t as, std::int32_t depth) {
        if (++steps_ > kMostSteps || depth > kDeepest) {
            steps_ = kMostSteps + 1;
            return kNone;
        }
        as = followed(as);
        node = followed(node);
        const std::int32_t outcome = only_outcome(as);
        if (outcome >= 0) return add(~outcome, kNone, kNone);
        if (tree_.node_[node].is_leaf()) return kNone;
        const std::int32_t test = tree_.node_[node].test;
        const std::int32_t attribute = tree_.attribute_[test];
        const std::int32_t sides[] = {node + 1, tree_.node_[node].right};
        std::int32_t both[] = {kNone, kNone};
        box_.keep(attribute);
        for (int side = 0; side < 2 && (side == 0 || both[0] != kNone); ++side) {
            box_.restrict(test, side == 0);
            both[side] = left_of(sides[side], as, depth + 1);
            box_.restore(attribute);
        }
        box_.forget(attribute);
        std::int32_t found = both[1] == kNone ? kNone : add(test, both[0], both[1]);
        const bool shows = is_needed(as, test);
        for (const std::int32_t side : sides) {
            if (shows && !has_test(side, test)) continue;
            const std::int32_t other = left_of(side, as, depth + 1);
            const bool better =
                other != kNone && (found == kNone || made_[other].leaves < made_[found].leaves);
            if (better) found = other;
        }
        return found;
    }

    // Follows the tests that the box decides.
    std::int32_t followed(std::int32_t node) {
        while (!tree_.node_[node].is_leaf()) {
            budget_.tick(kWorkPerNode);
            const Box::Sides sides = box_.sides(tree_.node_[node].test, budget_);
            if (sides.left && sides.right) break;
            node = sides.left ? node + 1 : tree_.node_[node].right;
        }
        return node;
    }

    // The outcome of all rows of the box that a subtree decides about; -1 if they have several.
    std::int32_t only_outcome(std::int32_t node) {
        std::int32_t found = kNone;
        const bool one = walk(node, [&](std::int32_t leaf) {
            const std::int32_t own = ~tree_.node_[leaf].test;
            if (found != kNone && found != own) return false;
            found = own;
            return true;
        });
        return one ? found : kNone;
    }

    // Calls `at_leaf` for each leaf of a subtree that rows of the box come to, until it is false.
    template <class AtLeaf>
    bool walk(std::int32_t node, AtLeaf at_leaf) {
        const std::size_t bottom = path_.size();
        bool go_on = true;
        node = followed(node);
        while (true) {
            if (tree_.node_[node].is_leaf()) {
                go_on = at_leaf(node);
            } else {
                const std::int32_t test = tree_.node_[node].test;
                box_.keep(tree_.attribute_[test]);
                path_.push_back({node, true});
                box_.restrict(test, true);
                node = followed(node + 1);
                continue;
            }
            // Back to the last split whose right side is still to be seen.
            while (path_.size() > bottom) {
                const std::int32_t test = tree_.node_[path_.back().node].test;
                box_.restore(tree_.attribute_[test]);
                if (go_on && path_.back().is_left) break;
                box_.forget(tree_.attribute_[test]);
                path_.pop_back();
            }
            if (path_.size() == bottom) return go_on;
            path_.back().is_left = false;
            const std::int32_t split = path_.back().node;
            box_.restrict(tree_.node_[split].test, false);
            node = followed(tree_.node_[split].right);
        }
    }

    // Whether two rows of the box that differ only across a test are decided differently: of a
    // number in the cells beside it, of a category in the first cell on either side.
    bool is_needed(std::int32_t as, std::int32_t test) {
        const std::int32_t attribute = tree_.attribute_[test];
        std::int32_t below = tree_.level_[test];
        std::int32_t above = below + 1;
        if (tree_.is_category(attribute)) {
            below = above = kNone;
            const std::uint64_t* goes_left = tree_.words_.data() + tree_.level_[test];
            const std::uint64_t* own = box_.set(attribute).data();
            for (std::int32_t cell = 0; cell < tree_.n_cells_[attribute]; ++cell) {
                if (!has_bit(own, cell)) continue;
                std::int32_t& side = has_bit(goes_left, cell) ? below : above;
                if (side == kNone) side = cell;
            }
            if (below == kNone || above == kNone) return false;
        } else if (below < box_.range(attribute).low || above > box_.range(attribute).high) {
            return false;
        }
        return differ(as, attribute, below, above);
    }

    // Whether a row of the box is decided differently with one cell of an attribute and another.
    bool differ(std::int32_t as, std::int32_t attribute, std::int32_t one, std::int32_t two) {
        box_.keep(attribute);
        only(attribute, one);
        // For each leaf of the rows with one cell, those with the other are walked in its box.
        const bool same = walk(as, [&](std::int32_t leaf) {
            const std::int32_t own = tree_.node_[leaf].test;
            box_.keep(attribute);
            only(attribute, two);
            const bool equal =
                walk(as, [&](std::int32_t other) { return tree_.node_[other].test == own; });
            box_.restore(attribute);
            box_.forget(attribute);
            return equal;
        });
        box_.restore(attribute);
        box_.forget(attribute);
        return !same;
    }

    void only(std::int32_t attribute, std::int32_t cell) {
        if (tree_.is_category(attribute)) {
            const auto words = box_.set(attribute);
            std::fill(words.begin(), words.end(), 0);
            words[cell / 64] = 1ull << (cell % 64);
        } else {
            box_.range(attribute) = {cell, cell, false, true};
        }
    }

    // Whether there is the same split in a subtree; of a category, any of it.
    [[nodiscard]] bool has_test(std::int32_t node, std::int32_t test) const {
        const std::vector<std::int32_t>& nodes = where_.at(key(test));
        const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
        return at != nodes.end() && *at < end_[node];
    }

    [[nodiscard]] std::pair<std::int32_t, std::int32_t> key(std::int32_t test) const {
        const std::int32_t attribute = tree_.attribute_[test];
        return {attribute, tree_.is_category(attribute) ? 0 : tree_.level_[test]};
    }

    [[nodiscard]] SmallTree told(std::int32_t root) const {
        SmallTree found;
        found.smallest = smallest_;
        Vector<std::pair<std::int32_t, std::int32_t>> open;  // made, and the node it is right of
        open.emplace_back(root, kNone);
        while (!open.empty()) {
            const auto [at, parent] = open.back();
            open.pop_back();
            const Made& own = made_[at];
            const auto node = static_cast<std::int32_t>(found.left.size());
            if (parent != kNone) found.right[parent] = node;
            const bool is_leaf = own.test < 0;
            found.left.push_back(is_leaf ? kNone : node + 1);
            found.right.push_back(kNone);
            found.test.push_back(is_leaf ? kNone : own.test);
            found.leaf_class.push_back(is_leaf ? ~own.test : kNone);
            if (is_leaf) continue;
            open.emplace_back(own.right, node);
            open.emplace_back(own.left, kNone);
        }
        return found;
    }

    struct Step {
        std::int32_t node;
        bool is_left;
    };

    const DomainTree& tree_;
    Budget& budget_;
    Box box_;
    Vector<std::int32_t> end_;  // by node: where its subtree ends
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> where_;
    Vector<Made> made_;
    Vector<Step> path_;
    std::int64_t steps_ = 0;
    bool smallest_ = true;
};

SmallTree DomainTree::simplified(Budget& budget) const { return Simplifier(*this, budget).run(); }

}  // namespace cattleya::domain
