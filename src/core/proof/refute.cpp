#include "proof/refute.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "tree/shape.hpp"

namespace cattleya::proof {
namespace {

constexpr std::int64_t kWorkPerStep = 10;  // nanoseconds, roughly
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest finite float32 that is not above `bound`; -infinity if there is none.
double largest_float32(double bound) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    if (bound >= static_cast<double>(kLargest)) return static_cast<double>(kLargest);
    if (bound < -static_cast<double>(kLargest)) return -kInfinity;
    float value = static_cast<float>(bound);
    if (static_cast<double>(value) > bound) value = std::nextafter(value, -kLargest);
    return static_cast<double>(value);
}

// What the conditions met so far leave of one feature: numbers in (low, high], and perhaps NaN.
struct Interval {
    double low = -kInfinity;
    double high = kInfinity;
    bool missing = false;

    void impose(double threshold, bool missing_left, bool holds) {
        if (holds) {
            high = std::min(high, threshold);
        } else {
            low = std::max(low, threshold);
        }
        missing = missing && missing_left == holds;
    }

    [[nodiscard]] bool is_empty(std::uint8_t domain) const {
        if (missing) return false;
        switch (domain) {
            case GivenTree::kBoolean:
                return !(low < 0 && 0 <= high) && !(low < 1 && 1 <= high);
            case GivenTree::kFloat32:
                return !(low < largest_float32(high));
            default:
                return !(low < std::min(high, std::numeric_limits<double>::max()));
        }
    }
};

// Depth first over the assignments that agree with what is fixed; each node is met at most once.
class Search {
   public:
    Search(const GivenTree& tree, std::span<const std::int8_t> fixed, bool real)
        : tree_(tree), value_(fixed.begin(), fixed.end()), real_(real) {
        if (!real_) return;
        interval_.assign(tree.domain.size(), Interval{});
        for (auto& interval : interval_) interval.missing = tree.takes_missing;
        for (std::size_t i = 0; i < value_.size(); ++i) {
            if (value_[i] != kFree) impose(static_cast<std::int32_t>(i), value_[i] != 0);
        }
        for (std::size_t i = 0; i < value_.size() && !hopeless_; ++i) {
            const std::int32_t feature = tree_.feature[i];
            hopeless_ = value_[i] != kFree && interval_[feature].is_empty(tree_.domain[feature]);
        }
    }

    std::int32_t run(std::int32_t row_class, Budget& budget) {
        if (hopeless_) return kNoLeaf;
        std::vector<Step> open{{0, Step::kEnter, {}}};
        while (!open.empty()) {
            budget.tick(kWorkPerStep);
            Step& step = open.back();
            const std::int32_t node = step.node;
            if (tree_.left[node] < 0) {
                if (tree_.leaf_class[node] != row_class) return node;
                open.pop_back();
                continue;
            }
            const std::int32_t test = tree_.condition[node];
            if (step.stage == Step::kEnter) {
                if (value_[test] != kFree) {
                    // Known from above or fixed from the start: one way only, nothing to undo.
                    step.node = value_[test] ? tree_.left[node] : tree_.right[node];
                    continue;
                }
                if (real_) step.before = interval_[tree_.feature[test]];
            } else {
                value_[test] = kFree;
                if (real_) interval_[tree_.feature[test]] = step.before;
                if (step.stage == Step::kDone) {
                    open.pop_back();
                    continue;
                }
            }
            const bool holds = step.stage == Step::kEnter;
            step.stage = holds ? Step::kSecond : Step::kDone;
            value_[test] = holds ? 1 : 0;
            if (real_) {
                const std::int32_t feature = tree_.feature[test];
                impose(test, holds);
                if (interval_[feature].is_empty(tree_.domain[feature])) continue;
            }
            open.push_back({holds ? tree_.left[node] : tree_.right[node], Step::kEnter, {}});
        }
        return kNoLeaf;
    }

   private:
    static constexpr std::int8_t kFree = -1;

    struct Step {
        enum Stage : std::uint8_t { kEnter, kSecond, kDone };
        std::int32_t node;
        Stage stage;
        Interval before;
    };

    void impose(std::int32_t condition, bool holds) {
        interval_[tree_.feature[condition]].impose(tree_.threshold[condition],
                                                   tree_.missing_left[condition] != 0, holds);
    }

    const GivenTree& tree_;
    std::vector<std::int8_t> value_;
    std::vector<Interval> interval_;
    bool real_;
    bool hopeless_ = false;
};

// For each condition: is there a leaf of another class that contradicts it and nothing else of what
// is fixed? One walk over the nodes that contradict at most one fixed condition.
std::vector<bool> needed(const GivenTree& tree, std::span<const std::int8_t> fixed,
                         std::int32_t row_class, Budget& budget) {
    constexpr std::int8_t kFree = -1;
    constexpr std::int32_t kNothing = -1;
    struct Step {
        std::int32_t node;
        std::int32_t contradicted;
        std::uint8_t stage;  // ways already taken
    };
    std::vector<bool> result(fixed.size(), false);
    std::vector<std::int8_t> value(fixed.size(), kFree);  // by the path so far
    std::vector<Step> open{{0, kNothing, 0}};
    while (!open.empty()) {
        budget.tick(kWorkPerStep);
        Step& step = open.back();
        if (tree.left[step.node] < 0) {
            if (tree.leaf_class[step.node] != row_class && step.contradicted != kNothing) {
                result[step.contradicted] = true;
            }
            open.pop_back();
            continue;
        }
        const std::int32_t test = tree.condition[step.node];
        if (step.stage == 0 && value[test] != kFree) {  // met before on this path: one way only
            step.node = value[test] ? tree.left[step.node] : tree.right[step.node];
            continue;
        }
        if (step.stage == 2) {
            value[test] = kFree;
            open.pop_back();
            continue;
        }
        const auto holds = static_cast<std::int8_t>(step.stage++ == 0);
        value[test] = holds;
        std::int32_t contradicted = step.contradicted;
        if (fixed[test] != kFree && fixed[test] != holds) {
            if (contradicted != kNothing) continue;
            contradicted = test;
        }
        open.push_back({holds ? tree.left[step.node] : tree.right[step.node], contradicted, 0});
    }
    return result;
}

void check_range(std::int32_t value, std::size_t size, const char* what) {
    if (value < 0 || static_cast<std::size_t>(value) >= size) {
        throw std::invalid_argument(std::string(what) + " " + std::to_string(value) +
                                    " is out of range");
    }
}

void check_fixed(const GivenTree& tree, std::span<const std::int8_t> fixed) {
    if (fixed.size() != tree.feature.size()) {
        throw std::invalid_argument("fixed must have one entry per condition");
    }
}

}  // namespace

void GivenTree::check() const {
    if (left.empty() || right.size() != left.size() || condition.size() != left.size() ||
        leaf_class.size() != left.size() || threshold.size() != feature.size() ||
        missing_left.size() != feature.size()) {
        throw std::invalid_argument("the arrays of the tree have unequal lengths");
    }
    tree::check_shape(left, right);
    for (std::size_t node = 0; node < left.size(); ++node) {
        if (left[node] < 0) continue;
        check_range(condition[node], feature.size(), "condition");
    }
    for (const std::int32_t f : feature) check_range(f, domain.size(), "feature");
}

std::int32_t refuting_leaf(const GivenTree& tree, std::span<const std::int8_t> fixed,
                           std::int32_t row_class, bool real, Budget& budget) {
    check_fixed(tree, fixed);
    return Search(tree, fixed, real).run(row_class, budget);
}

std::vector<std::int32_t> removable(const GivenTree& tree, std::span<const std::int8_t> fixed,
                                    std::span<const std::int32_t> chosen, std::int32_t row_class,
                                    Budget& budget) {
    check_fixed(tree, fixed);
    std::vector<std::int8_t> rest(fixed.begin(), fixed.end());
    std::vector<std::int32_t> gone;
    // What is needed beside all the others is needed beside fewer of them: no second look.
    const std::vector<bool> is_needed = needed(tree, fixed, row_class, budget);
    for (const std::int32_t condition : chosen) {
        check_range(condition, rest.size(), "condition");
        if (is_needed[condition]) continue;
        const std::int8_t value = std::exchange(rest[condition], static_cast<std::int8_t>(-1));
        if (refuting_leaf(tree, rest, row_class, false, budget) == kNoLeaf) {
            gone.push_back(condition);
        } else {
            rest[condition] = value;
        }
    }
    return gone;
}

std::vector<std::pair<std::int32_t, bool>> path_to(const GivenTree& tree, std::int32_t node) {
    check_range(node, tree.left.size(), "node");
    std::vector<std::int32_t> parent(tree.left.size(), -1);
    for (std::size_t i = 0; i < tree.left.size(); ++i) {
        if (tree.left[i] < 0) continue;
        parent[tree.left[i]] = static_cast<std::int32_t>(i);
        parent[tree.right[i]] = static_cast<std::int32_t>(i);
    }
    std::vector<std::pair<std::int32_t, bool>> path;
    for (std::int32_t at = node; parent[at] >= 0; at = parent[at]) {
        const std::int32_t above = parent[at];
        path.emplace_back(tree.condition[above], tree.left[above] == at);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace cattleya::proof
