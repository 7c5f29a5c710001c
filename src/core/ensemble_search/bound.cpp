#include "ensemble_search/bound.hpp"

#include <algorithm>
#include <limits>

namespace cattleya::ensemble_search {

Bound::Bound(const Forest& forest, std::span<const Margin> rivals,
             std::span<const std::int32_t> cells)
    : forest_(forest),
      rivals_(rivals.begin(), rivals.end()),
      box_(forest.attributes().at(cells)),
      before_(box_),
      stamp_(static_cast<std::size_t>(forest.n_trees()), 0),
      decided_(cells.size()) {
    for (const Margin& m : rivals_) sum_.push_back(m.constant);
    top_.resize(static_cast<std::size_t>(forest.n_trees()) * rivals_.size());
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        std::int32_t n = forest.root(t);
        while (forest.node(n).attribute >= 0) {
            const Node& node = forest.node(n);
            decided_[node.attribute].push_back({t, n});
            n = forest.goes_left(node, cells[node.attribute]) ? node.left : node.right;
        }
        for (std::size_t r = 0; r < rivals_.size(); ++r) {
            top(t, r) = forest.weight(rivals_[r], t, forest.node(n));
            sum_[r] += top(t, r);
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

void Bound::copy(std::int32_t a, const Box& from, Box& to) const {
    to.low[a] = from.low[a];
    to.high[a] = from.high[a];
    to.missing[a] = from.missing[a];
    const Attributes& attributes = forest_.attributes();
    for (std::int32_t w = attributes.first_word(a);
         w < attributes.first_word(a) + attributes.n_words(a); ++w) {
        to.words[w] = from.words[w];
    }
}

bool Bound::explore(std::int32_t a, const Box& wider, bool whole, Budget& budget) {
    ++now_;
    touched_.clear();
    met_.clear();
    new_sum_ = sum_;
    copy(a, box_, before_);
    copy(a, wider, box_);
    bool holds = true;
    std::int64_t walked = 0;
    for (const auto [tree, number] : decided_[a]) {
        const Node& test = forest_.node(number);
        if (forest_.sides(test, box_) != 3) continue;
        if (stamp_[tree] != now_) {
            stamp_[tree] = now_;
            touched_.push_back(tree);
            for (std::size_t r = 0; r < rivals_.size(); ++r) {
                const std::size_t i = static_cast<std::size_t>(tree) * rivals_.size() + r;
                new_top_[i] = top_[i];
            }
        }
        open_.assign(1, forest_.sides(test, before_) == 1 ? test.right : test.left);
        while (!open_.empty() && (holds || whole)) {
            const Node& n = forest_.node(open_.back());
            const std::int32_t here = open_.back();
            open_.pop_back();
            ++walked;
            if (n.attribute >= 0) {
                const int sides = forest_.sides(n, box_);
                if ((sides & 1) != 0) open_.push_back(n.left);
                if ((sides & 2) != 0) open_.push_back(n.right);
                if (sides != 3) met_.push_back({tree, here});
                continue;
            }
            for (std::size_t r = 0; r < rivals_.size(); ++r) {
                std::int64_t& best = new_top_[static_cast<std::size_t>(tree) * rivals_.size() + r];
                const std::int64_t weight = forest_.weight(rivals_[r], tree, n);
                if (weight <= best) continue;
                new_sum_[r] += weight - best;
                best = weight;
                holds = holds && new_sum_[r] < rivals_[r].need;
            }
        }
        if (!holds && !whole) break;
    }
    copy(a, before_, box_);
    budget.tick(walked * 8 + 50);
    return holds;
}

void Bound::commit(std::int32_t a) {
    for (const std::int32_t t : touched_) {
        for (std::size_t r = 0; r < rivals_.size(); ++r) {
            top(t, r) = new_top_[static_cast<std::size_t>(t) * rivals_.size() + r];
        }
    }
    sum_ = new_sum_;
    std::erase_if(decided_[a],
                  [&](const Decided& d) { return forest_.sides(forest_.node(d.node), box_) == 3; });
    for (const Decided& d : met_) decided_[forest_.node(d.node).attribute].push_back(d);
}

bool Bound::widen(std::int32_t a, const Box& wider, Budget& budget) {
    if (!explore(a, wider, false, budget)) return false;
    copy(a, wider, box_);
    commit(a);
    return true;
}

void Bound::force(std::int32_t a, const Box& wider, Budget& budget) {
    explore(a, wider, true, budget);
    copy(a, wider, box_);
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
