#include "ensemble_search/bound.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cattleya::ensemble_search {
namespace {

constexpr std::int32_t kEnd = -1;

}  // namespace

Bound::Bound(const Forest& forest, std::span<const Margin> rivals,
             std::span<const std::int32_t> cells)
    : forest_(forest),
      cells_(cells),
      rivals_(rivals.begin(), rivals.end()),
      box_(forest.attributes().at(cells)),
      before_(box_),
      part_(cells.size()),
      stamp_(static_cast<std::size_t>(forest.n_trees()), 0),
      first_(cells.size(), kEnd) {
    for (std::size_t a = 0; a < cells.size(); ++a) see(static_cast<std::int32_t>(a));
    for (const Margin& m : rivals_) sum_.push_back(m.constant);
    top_.resize(static_cast<std::size_t>(forest.n_trees()) * rivals_.size());
    decided_.reserve(static_cast<std::size_t>(forest.n_trees()) * 8);
    std::size_t i = 0;
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        std::int32_t n = forest.root(t);
        while (forest.node(n).attribute >= 0) {
            const Node& node = forest.node(n);
            keep({t, n});
            n = forest.goes_left(node, cells[node.attribute]) ? node.left : node.right;
        }
        for (std::size_t r = 0; r < rivals_.size(); ++r, ++i) {
            top_[i] = forest.weight(rivals_[r], t, forest.node(n));
            sum_[r] += top_[i];
        }
    }
    new_top_ = top_;
}

bool Bound::holds() const {
    for (std::size_t r = 0; r < rivals_.size(); ++r) {
        if (sum_[r] >= rivals_[r].need) return false;
    }
    return true;
}

void Bound::see(std::int32_t a) {
    Part& part = part_[a];
    part = {box_.low[a], box_.high[a], box_.missing[a] != 0, forest_.attributes().is_category(a)};
    if (part.low > part.high) {
        part.low = std::numeric_limits<std::int32_t>::max();
        part.high = std::numeric_limits<std::int32_t>::min();
    }
}

void Bound::keep(const Test& test) {
    std::int32_t& first = first_[forest_.node(test.node).attribute];
    decided_.push_back({test, first});
    first = static_cast<std::int32_t>(decided_.size()) - 1;
}

// Begins a step, which `raise` makes so or nothing does.
void Bound::begin() {
    ++now_;
    touched_.clear();
    new_sum_ = sum_;
}

bool Bound::open(const Test& test, bool whole) {
    const std::size_t count = rivals_.size(), first = static_cast<std::size_t>(test.tree) * count;
    if (stamp_[test.tree] != now_) {
        stamp_[test.tree] = now_;
        touched_.push_back(test.tree);
        for (std::size_t r = 0; r < count; ++r) new_top_[first + r] = top_[first + r];
    }
    const Node* n = &forest_.node(test.node);
    // The row is in the box: so it was on its side.
    std::int32_t here = forest_.goes_left(*n, cells_[n->attribute]) ? n->right : n->left;
    bool holds = true;
    open_.clear();
    for (;;) {
        for (n = &forest_.node(here); n->attribute >= 0; n = &forest_.node(here)) {
            ++walked_;
            const int both = sides(*n);
            if (both == 3) {
                open_.push_back(n->right);
            } else {
                met_.push_back({test.tree, here});
            }
            here = (both & 1) != 0 ? n->left : n->right;
        }
        ++walked_;
        for (std::size_t r = 0; r < count; ++r) {
            std::int64_t& best = new_top_[first + r];
            const std::int64_t weight = forest_.weight(rivals_[r], test.tree, *n);
            if (weight <= best) continue;
            new_sum_[r] += weight - best;
            best = weight;
            holds = holds && new_sum_[r] < rivals_[r].need;
        }
        if (!holds && !whole) return false;
        if (open_.empty()) return holds;
        here = open_.back();
        open_.pop_back();
    }
}

bool Bound::explore(std::int32_t a, const Box& wider, bool whole, Budget& budget) {
    const Attributes& attributes = forest_.attributes();
    begin();
    met_.clear();
    attributes.copy(box_, a, before_);
    attributes.copy(wider, a, box_);
    see(a);
    bool holds = true;
    walked_ = 0;
    for (std::int32_t i = first_[a]; i != kEnd && (holds || whole); i = decided_[i].next) {
        const Test& test = decided_[i].test;
        if (sides(forest_.node(test.node)) == 3) holds = open(test, whole) && holds;
    }
    attributes.copy(before_, a, box_);
    see(a);
    budget.tick(walked_ * 8 + 50);
    return holds;
}

void Bound::raise() {
    const std::size_t count = rivals_.size();
    for (const std::int32_t t : touched_) {
        const std::size_t first = static_cast<std::size_t>(t) * count;
        for (std::size_t r = 0; r < count; ++r) top_[first + r] = new_top_[first + r];
    }
    sum_ = new_sum_;
}

// Keeps what was met, and lets go of the tests of an attribute that the box decides no longer.
void Bound::commit(std::int32_t a) {
    see(a);
    for (const Test& test : met_) keep(test);
    for (std::int32_t* at = &first_[a]; *at != kEnd;) {
        Decided& one = decided_[*at];
        if (sides(forest_.node(one.test.node)) == 3) {
            *at = one.next;
        } else {
            at = &one.next;
        }
    }
}

bool Bound::widen(std::int32_t a, const Box& wider, Budget& budget) {
    if (!explore(a, wider, false, budget)) return false;
    forest_.attributes().copy(wider, a, box_);
    raise();
    commit(a);
    return true;
}

void Bound::force(std::int32_t a, const Box& wider, Budget& budget) {
    explore(a, wider, true, budget);
    forest_.attributes().copy(wider, a, box_);
    raise();
    commit(a);
}

void Bound::stretch(std::int32_t a, bool low, Budget& budget) {
    // The tests that are decided on that side, the nearest on top.
    Vector<std::pair<std::int32_t, Test>> later;
    const auto further = [low](const auto& x, const auto& y) {
        return low ? x.first < y.first : x.first > y.first;
    };
    const auto add = [&](const Test& test) {
        const Node& n = forest_.node(test.node);
        if (n.attribute != a || (cells_[a] <= n.level) == low) return;
        later.push_back({n.level, test});
        std::ranges::push_heap(later, further);
    };
    met_.clear();
    for (std::int32_t i = first_[a]; i != kEnd; i = decided_[i].next) add(decided_[i].test);
    const std::int32_t last = forest_.attributes().n_cells(a) - 1;
    std::int32_t& end = (low ? box_.low : box_.high)[a];
    for (;;) {
        // With the next level the side reaches `to`.
        const std::int32_t level = later.empty() ? (low ? 0 : last) : later.front().first;
        const std::int32_t to = low ? level : level + 1;
        if (low ? to <= 0 : to >= last) {
            end = low ? 1 : last - 1;
            break;
        }
        const std::size_t before = met_.size();
        end = to;
        see(a);
        begin();
        walked_ = 0;
        bool holds = true;
        while (holds && !later.empty() && later.front().first == level) {
            std::ranges::pop_heap(later, further);
            const Test test = later.back().second;
            later.pop_back();
            holds = open(test, false);
        }
        budget.tick(walked_ * 8 + 50);
        if (!holds) {
            met_.resize(before);
            end = low ? to + 1 : to - 1;
            break;
        }
        raise();
        for (std::size_t i = before; i < met_.size(); ++i) add(met_[i]);
    }
    commit(a);
}

double Bound::rise(std::int32_t a, const Box& wider, bool whole, Budget& budget) {
    if (!explore(a, wider, whole, budget) && !whole) {
        return std::numeric_limits<double>::infinity();
    }
    double most = 0;
    for (std::size_t r = 0; r < rivals_.size(); ++r) {
        const auto room = static_cast<double>(std::max<std::int64_t>(rivals_[r].need - sum_[r], 1));
        most = std::max(most, static_cast<double>(new_sum_[r] - sum_[r]) / room);
    }
    return most;
}

}  // namespace cattleya::ensemble_search
