#include "ensemble_search/bound.hpp"

#include <algorithm>
#include <limits>

namespace cattleya::ensemble_search {
namespace {

constexpr std::int32_t kEnd = -1;

}  // namespace

Bound::Bound(const Forest& forest, std::span<const Margin> rivals,
             std::span<const std::int32_t> cells, Budget& budget)
    : forest_(forest),
      cells_(cells),
      rivals_(rivals.begin(), rivals.end()),
      box_(forest.attributes().at(cells)),
      before_(box_),
      part_(cells.size()),
      stamp_(static_cast<std::size_t>(forest.n_trees()), 0),
      first_(cells.size(), kEnd) {
    for (std::size_t a = 0; a < cells.size(); ++a) see(static_cast<std::int32_t>(a));
    for (const Margin& m : rivals_) {
        sum_.push_back(m.constant);
        held_.push_back(forest.peaks().of(forest, m, budget));
        peaks_.push_back(held_.back() == nullptr ? nullptr : held_.back()->data());
    }
    new_top_.reserve(static_cast<std::size_t>(forest.n_trees()) * rivals_.size());
    decided_.reserve(static_cast<std::size_t>(forest.n_trees()) * 8);
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        met_.clear();
        std::int32_t here = forest.root(t);
        for (const Node* n = &forest.node(here); n->attribute >= 0; n = &forest.node(here)) {
            met_.push_back({t, here});
            here = forest.goes_left(*n, cells[n->attribute]) ? n->left : n->right;
        }
        for (std::size_t r = 0; r < rivals_.size(); ++r) {
            new_top_.push_back(peak(r, t, here));
            sum_[r] += new_top_.back();
        }
        const std::int64_t* const own = new_top_.data() + new_top_.size() - rivals_.size();
        for (const Test& test : met_) {
            const std::int32_t other = behind(forest.node(test.node));
            bool raises = false;
            for (std::size_t r = 0; r < rivals_.size(); ++r) {
                raises = raises || peak(r, t, other) > own[r];
            }
            if (raises) keep(test);
        }
    }
    top_ = new_top_;
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

template <std::size_t n_rivals>
bool Bound::walk(const Test& test, bool whole) {
    const std::size_t count = n_rivals != 0 ? n_rivals : rivals_.size();
    const std::int32_t tree = test.tree;
    std::int64_t* const best = new_top_.data() + static_cast<std::size_t>(tree) * count;
    if (stamp_[tree] != now_) {
        stamp_[tree] = now_;
        touched_.push_back(tree);
        const std::int64_t* const before = top_.data() + static_cast<std::size_t>(tree) * count;
        std::copy(before, before + count, best);
    }
    const auto raises = [&](std::int32_t node) {
        for (std::size_t r = 0; r < count; ++r) {
            if (peak(r, tree, node) > best[r]) return true;
        }
        return false;
    };
    bool holds = true;
    open_.clear();
    for (std::int32_t here = behind(forest_.node(test.node));;) {
        while (raises(here)) {
            ++walked_;
            const Node& n = forest_.node(here);
            if (n.attribute < 0) {
                for (std::size_t r = 0; r < count; ++r) {
                    const std::int64_t weight = peak(r, tree, here);
                    if (weight <= best[r]) continue;
                    new_sum_[r] += weight - best[r];
                    best[r] = weight;
                    holds = holds && new_sum_[r] < rivals_[r].need;
                }
                if (!holds && !whole) return false;
                break;
            }
            const int both = sides(n);
            const bool left = (both & 1) != 0;
            const std::int32_t other = left ? n.right : n.left;
            if (both == 3) {
                open_.push_back(other);
            } else if (raises(other)) {
                met_.push_back({tree, here});
            }
            here = left ? n.left : n.right;
        }
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
    const auto further = [low](const auto& x, const auto& y) {
        return low ? x.first < y.first : x.first > y.first;
    };
    const auto add = [&](const Test& test) {
        const Node& n = forest_.node(test.node);
        if (n.attribute != a || (cells_[a] <= n.level) == low) return;
        later_.push_back({n.level, test});
        std::ranges::push_heap(later_, further);
    };
    met_.clear();
    later_.clear();
    for (std::int32_t i = first_[a]; i != kEnd; i = decided_[i].next) add(decided_[i].test);
    const std::int32_t last = forest_.attributes().n_cells(a) - 1;
    std::int32_t& end = (low ? box_.low : box_.high)[a];
    for (;;) {
        // With the next level the side reaches `to`.
        const std::int32_t level = later_.empty() ? (low ? 0 : last) : later_.front().first;
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
        while (holds && !later_.empty() && later_.front().first == level) {
            std::ranges::pop_heap(later_, further);
            const Test test = later_.back().second;
            later_.pop_back();
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
