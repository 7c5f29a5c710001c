#include "proof/refute_domain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "tree/shape.hpp"

namespace cattleya::proof {
namespace {

constexpr std::int64_t kWorkPerStep = 10;  // nanoseconds, roughly
constexpr std::int32_t kNobody = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Of a number: low and high are values it can have, or infinite where nothing bounds it.
struct Box {
    double low = -kInfinity;
    double high = kInfinity;
    bool missing = false;

    [[nodiscard]] bool has_number() const {
        return low <= high && low != kInfinity && high != -kInfinity;
    }
    [[nodiscard]] bool is_empty() const { return !missing && !has_number(); }
};

// Depth first over the nodes that a row can come to, at most one of its attributes being let go.
class Walk {
   public:
    Walk(const ValueTree& tree, std::span<const Left> fixed, bool may_let_go, Budget& budget)
        : tree_(tree), may_let_go_(may_let_go), budget_(budget), state_(tree.width.size()) {
        require(fixed.size() == tree.width.size(), "fixed must have one entry per attribute");
        order_.resize(tree.points.size());
        for (std::size_t a = 0; a < fixed.size(); ++a) {
            State& state = state_[a];
            state.bound = {fixed[a].low, fixed[a].high, fixed[a].missing != 0};
            state.free.missing = tree.takes_missing;
            state.fixed_point = fixed[a].point;
            if (tree.width[a] == 0) continue;
            state.alive = n_points(a);
            require(state.fixed_point >= kAnyPoint && state.fixed_point < state.alive,
                    "a point is out of range");
            std::iota(points(a), points(a) + state.alive, 0);
        }
    }

    // Leaves of each category only the points that are allowed, from the start. False where there
    // is none: then there is no row.
    bool allow(std::span<const std::uint8_t> allowed) {
        std::size_t first = 0;
        bool some = true;
        for (std::size_t a = 0; a < state_.size(); ++a) {
            if (tree_.width[a] == 0) continue;
            State& state = state_[a];
            const auto count = static_cast<std::size_t>(n_points(a));
            require(allowed.size() >= first + count, "allowed must have one byte per point");
            const auto is_allowed = [&](std::int32_t point) { return allowed[first + point] != 0; };
            const std::int32_t* end =
                std::partition(points(a), points(a) + state.alive, is_allowed);
            state.alive = static_cast<std::int32_t>(end - points(a));
            some = some && state.alive > 0;
            first += count;
        }
        require(allowed.size() == first, "allowed must have one byte per point");
        return some;
    }

    // Goes to the next leaf of another class; kNoValueLeaf at the end.
    std::int32_t next(std::int32_t row_class) {
        if (open_.empty() && !started_) open_.push_back({0, 0, {}});
        started_ = true;
        while (!open_.empty()) {
            budget_.tick(kWorkPerStep);
            const std::int32_t node = open_.back().node;
            if (tree_.left[node] < 0) {
                open_.pop_back();
                if (tree_.leaf_class[node] != row_class) return node;
                continue;
            }
            const std::int32_t attribute = tree_.attribute[tree_.column[node]];
            State& state = state_[attribute];
            if (open_.back().stage == 0) {
                open_.back().before = state;
            } else {
                leave(attribute);
                state = open_.back().before;
            }
            if (open_.back().stage == 2) {
                open_.pop_back();
                continue;
            }
            const bool left = open_.back().stage++ == 0;
            impose(node, attribute, left);
            if (enter(attribute))
                open_.push_back({left ? tree_.left[node] : tree_.right[node], 0, {}});
        }
        return kNoValueLeaf;
    }

    // The attribute that was let go on the way to the leaf.
    [[nodiscard]] std::int32_t let_go() const { return let_go_; }

    [[nodiscard]] Left left(std::size_t attribute, std::int32_t own) {
        const State& state = state_[attribute];
        Left result{state.bound.low, state.bound.high, state.bound.missing, kAnyPoint};
        if (tree_.width[attribute] == 0) return result;
        const std::int32_t* first = points(attribute);
        const std::int32_t* last = first + state.alive;
        result.point = state.fixed_point != kAnyPoint        ? state.fixed_point
                       : std::find(first, last, own) != last ? own
                                                             : *std::min_element(first, last);
        return result;
    }

   private:
    struct State {
        Box bound;  // of a number, with what is fixed
        Box free;   // and without
        std::int32_t fixed_point = kAnyPoint;
        std::int32_t alive = 0;  // of a category: how many points are left, without what is fixed
        bool point_left = true;  // is the fixed one among them?
        bool was_let_go = false;
    };

    struct Frame {
        std::int32_t node;
        std::int8_t stage;  // sides already taken
        State before;
    };

    [[nodiscard]] std::int32_t n_points(std::size_t attribute) const {
        const std::int64_t size = tree_.first_point[attribute + 1] - tree_.first_point[attribute];
        return static_cast<std::int32_t>(size / tree_.width[attribute]);
    }
    // The points of a category, those that are left first. There is room for all coordinates.
    [[nodiscard]] std::int32_t* points(std::size_t attribute) {
        return order_.data() + tree_.first_point[attribute];
    }

    void impose(std::int32_t node, std::int32_t attribute, bool left) {
        State& state = state_[attribute];
        const bool missing_left = tree_.missing_left[node] != 0;
        const std::int32_t width = tree_.width[attribute];
        if (width == 0) {
            for (Box* box : {&state.bound, &state.free}) {
                if (left) {
                    box->high = std::min(box->high, tree_.below[node]);
                } else {
                    box->low = std::max(box->low, tree_.above[node]);
                }
                box->missing = box->missing && missing_left == left;
            }
            return;
        }
        const double* value =
            tree_.points.data() + tree_.first_point[attribute] + tree_.place[tree_.column[node]];
        const auto agrees = [&](std::int32_t point) {
            const double at = value[static_cast<std::int64_t>(point) * width];
            return (std::isnan(at) ? missing_left : at <= tree_.threshold[node]) == left;
        };
        // Points only change places among those that are left, so the number is all to restore.
        std::int32_t* first = points(attribute);
        budget_.tick(state.alive);
        const std::int32_t* end = std::partition(first, first + state.alive, agrees);
        state.alive = static_cast<std::int32_t>(end - first);
        if (state.fixed_point != kAnyPoint) {
            state.point_left = state.point_left && agrees(state.fixed_point);
        }
    }

    // Can a row come here? Where only what is fixed of one attribute forbids it, that is let go.
    bool enter(std::int32_t attribute) {
        State& state = state_[attribute];
        const bool number = tree_.width[attribute] == 0;
        if (number ? state.free.is_empty() : state.alive == 0) return false;
        if (number ? !state.bound.is_empty() : state.point_left) return true;
        if (!may_let_go_ || (let_go_ != kNobody && let_go_ != attribute)) return false;
        state.was_let_go = true;
        let_go_ = attribute;
        return true;
    }

    // Takes back what `enter` did, where it was the one to let the attribute go.
    void leave(std::int32_t attribute) {
        if (state_[attribute].was_let_go && !open_.back().before.was_let_go) let_go_ = kNobody;
    }

    const ValueTree& tree_;
    bool may_let_go_;
    Budget& budget_;
    std::vector<State> state_;
    std::vector<std::int32_t> order_;
    std::vector<Frame> open_;
    std::int32_t let_go_ = kNobody;
    bool started_ = false;
};

}  // namespace

void ValueTree::check() const {
    tree::check_shape(left, right);
    const std::size_t nodes = left.size();
    require(column.size() == nodes && leaf_class.size() == nodes && threshold.size() == nodes &&
                missing_left.size() == nodes && below.size() == nodes && above.size() == nodes,
            "the arrays of the tree have unequal lengths");
    require(place.size() == attribute.size(), "attribute and place have unequal lengths");
    require(first_point.size() == width.size() + 1 && first_point.front() == 0 &&
                first_point.back() == static_cast<std::int64_t>(points.size()),
            "first_point does not fit the points");
    for (std::size_t a = 0; a < width.size(); ++a) {
        const std::int64_t size = first_point[a + 1] - first_point[a];
        require(width[a] >= 0 && size >= 0 && (width[a] == 0 ? size == 0 : size % width[a] == 0) &&
                    (width[a] == 0 || size > 0),
                "a category has no points, or not all their coordinates");
    }
    for (std::size_t c = 0; c < attribute.size(); ++c) {
        require(attribute[c] >= 0 && static_cast<std::size_t>(attribute[c]) < width.size() &&
                    place[c] >= 0 && place[c] < std::max(width[attribute[c]], 1),
                "a column has an attribute or a place that is out of range");
    }
    for (std::size_t node = 0; node < nodes; ++node) {
        require(left[node] < 0 || (column[node] >= 0 &&
                                   static_cast<std::size_t>(column[node]) < attribute.size()),
                "a node tests a column that is out of range");
    }
}

std::vector<Left> left_from(std::span<const double> low, std::span<const double> high,
                            std::span<const std::uint8_t> missing,
                            std::span<const std::int32_t> point) {
    require(high.size() == low.size() && missing.size() == low.size() && point.size() == low.size(),
            "low, high, missing and point have unequal lengths");
    std::vector<Left> left;
    left.reserve(low.size());
    for (std::size_t a = 0; a < low.size(); ++a) {
        left.push_back({low[a], high[a], missing[a], point[a]});
    }
    return left;
}

Refutation refute(const ValueTree& tree, std::span<const Left> fixed,
                  std::span<const std::int32_t> own, std::int32_t row_class, Budget& budget) {
    require(own.size() == fixed.size(), "own must have one entry per attribute");
    Walk walk(tree, fixed, false, budget);
    Refutation result;
    result.leaf = walk.next(row_class);
    if (result.leaf == kNoValueLeaf) return result;
    for (std::size_t a = 0; a < fixed.size(); ++a) result.left.push_back(walk.left(a, own[a]));
    return result;
}

Refutation refute_box(const ValueTree& tree, std::span<const Left> fixed,
                      std::span<const std::uint8_t> allowed, std::span<const std::int32_t> own,
                      std::int32_t row_class, Budget& budget) {
    require(own.size() == fixed.size(), "own must have one entry per attribute");
    for (const Left& left : fixed) require(left.point == kAnyPoint, "a point is fixed");
    Walk walk(tree, fixed, false, budget);
    Refutation result;
    if (!walk.allow(allowed)) return result;
    result.leaf = walk.next(row_class);
    if (result.leaf == kNoValueLeaf) return result;
    for (std::size_t a = 0; a < fixed.size(); ++a) result.left.push_back(walk.left(a, own[a]));
    return result;
}

std::vector<std::uint8_t> needed(const ValueTree& tree, std::span<const Left> fixed,
                                 std::int32_t row_class, Budget& budget) {
    std::vector<std::uint8_t> result(fixed.size(), 0);
    Walk walk(tree, fixed, true, budget);
    while (walk.next(row_class) != kNoValueLeaf) {
        if (walk.let_go() != kNobody) result[walk.let_go()] = 1;
    }
    return result;
}

}  // namespace cattleya::proof
