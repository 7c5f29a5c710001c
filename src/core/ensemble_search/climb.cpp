#include "ensemble_search/climb.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cattleya::ensemble_search {
namespace {

// Numbers that look random, and are the same every time (Steele, Lea and Flood's splitmix64).
class Draw {
   public:
    std::int32_t below(std::size_t count) {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::int32_t>((z ^ (z >> 31)) % count);
    }

   private:
    std::uint64_t state_ = 0;
};

}  // namespace

std::int32_t Climb::leaf_of(std::int32_t tree, const Vector<std::int32_t>& cells,
                            std::uint64_t& asked) const {
    std::int32_t n = root(tree);
    while (node_[n].attribute >= 0) {
        const Node& node = node_[n];
        asked |= bit(node.attribute);
        n = forest_.goes_left(node, cells[node.attribute]) ? node.left : node.right;
    }
    return n;
}

void Climb::look_at(const Vector<std::int32_t>& cells, Budget& budget) {
    std::uint64_t changed = 0;
    if (at_.empty()) {
        added_.assign(static_cast<std::size_t>(n_trees_), 0);
        asked_.assign(static_cast<std::size_t>(n_trees_), 1);
        changed = 1;
        at_ = cells;
    } else {
        for (std::size_t a = 0; a < cells.size(); ++a) {
            if (at_[a] != cells[a]) changed |= bit(static_cast<std::int32_t>(a));
            at_[a] = cells[a];
        }
        if (changed == 0) return;
    }
    std::int64_t looked = 0;
    for (std::int32_t t = 0; t < n_trees_; ++t) {
        if ((asked_[t] & changed) == 0) continue;
        asked_[t] = 0;
        here_ -= added_[t];
        added_[t] = weight(t, node_[leaf_of(t, cells, asked_[t])]);
        here_ += added_[t];
        ++looked;
    }
    budget.tick(looked * 60 + n_trees_);
}

// Trees that do not ask about an attribute on the way of a row add the same wherever it is moved.
std::int64_t Climb::others(std::int32_t attribute) {
    std::int64_t sum = here_;
    concerned_.clear();
    for (std::int32_t t = 0; t < n_trees_; ++t) {
        if ((asked_[t] & bit(attribute)) == 0) continue;
        concerned_.push_back(t);
        sum -= added_[t];
    }
    return sum;
}

const Vector<std::int64_t>& Climb::sums(const Vector<std::int32_t>& cells, std::int32_t attribute,
                                        std::int32_t first, std::int32_t last, Budget& budget) {
    look_at(cells, budget);
    const std::int64_t rest = others(attribute);
    sum_.assign(static_cast<std::size_t>(last - first) + 2, 0);
    if (forest_.attributes().is_category(attribute)) {
        moved_ = cells;
        for (std::int32_t c = first; c <= last; ++c) {
            moved_[attribute] = c;
            sum_[c - first] = rest;
            std::uint64_t asked = 0;
            for (const std::int32_t t : concerned_) {
                sum_[c - first] += weight(t, node_[leaf_of(t, moved_, asked)]);
            }
            budget.tick(std::ssize(concerned_) * 60 + 10);
        }
        return sum_;
    }
    // First as differences between neighbours.
    sum_[0] = rest;
    for (const std::int32_t t : concerned_) {
        open_.push_back({root(t), first, last});
        while (!open_.empty()) {
            auto [n, low, high] = open_.back();
            open_.pop_back();
            while (node_[n].attribute >= 0) {
                const Node& node = node_[n];
                if (node.attribute != attribute) {
                    n = forest_.goes_left(node, cells[node.attribute]) ? node.left : node.right;
                } else if (high <= node.level) {
                    n = node.left;
                } else if (low > node.level) {
                    n = node.right;
                } else {
                    open_.push_back({node.right, node.level + 1, high});
                    high = node.level;
                    n = node.left;
                }
            }
            const std::int64_t added = weight(t, node_[n]);
            sum_[low - first] += added;
            sum_[high + 1 - first] -= added;
        }
    }
    budget.tick(std::ssize(concerned_) * 60 + n_trees_ + last - first);
    for (std::int32_t c = first; c < last; ++c) sum_[c + 1 - first] += sum_[c - first];
    return sum_;
}

bool Climb::number(Vector<std::int32_t>& cells, std::int32_t attribute, std::int32_t first,
                   std::int32_t last, Budget& budget) {
    const std::int32_t own = cells[attribute];
    sums(cells, attribute, first, last, budget);
    const auto end = sum_.begin() + (last - first) + 1;
    const auto best = std::max_element(sum_.begin(), end);
    if (own >= first && own <= last ? *best <= sum_[own - first] : *best <= 0) return false;
    cells[attribute] = first + static_cast<std::int32_t>(best - sum_.begin());
    return true;
}

bool Climb::category(Vector<std::int32_t>& cells, std::int32_t attribute, const std::uint64_t* set,
                     Budget& budget) {
    const std::int32_t n_cells = forest_.attributes().n_cells(attribute);
    sums(cells, attribute, 0, n_cells - 1, budget);
    std::int32_t best = cells[attribute];
    for (std::int32_t c = 0; c < n_cells; ++c) {
        if ((set[c / 64] >> (c % 64) & 1) != 0 && sum_[c] > sum_[best]) best = c;
    }
    return std::exchange(cells[attribute], best) != best;
}

bool Climb::move(Vector<std::int32_t>& cells, const Box& box, std::int32_t a, Budget& budget) {
    const Attributes& attributes = forest_.attributes();
    if (attributes.is_category(a)) {
        return category(cells, a, box.words.data() + attributes.first_word(a), budget);
    }
    if (cells[a] == kMissing || box.low[a] >= box.high[a]) return false;
    return number(cells, a, box.low[a], box.high[a], budget);
}

bool Climb::leaves(Vector<std::int32_t>& cells, const Box& box, Budget& budget) {
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round) {
        bool better = false;
        for (std::int32_t a = 0; a < forest_.attributes().size(); ++a) {
            better = move(cells, box, a, budget) || better;
        }
        if (forest_.decide(cells) != margin_.of) return true;
        if (!better) break;
    }
    return false;
}

bool Climb::leaves_by_kicks(Vector<std::int32_t>& cells, const Box& box, int kicks,
                            Budget& budget) {
    constexpr int kMostRounds = 6, kMostDrawn = 3;
    const Attributes& attributes = forest_.attributes();
    Vector<std::int32_t> loose;  // attributes that can be moved
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (attributes.is_category(a) || (cells[a] != kMissing && box.low[a] < box.high[a])) {
            loose.push_back(a);
        }
    }
    Draw draw;
    Vector<std::int32_t> best = cells, drawn;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (int kick = 0; kick <= kicks; ++kick) {
        cells = best;
        drawn.clear();
        for (int i = 0; kick > 0 && !loose.empty() && i < 1 + kick % kMostDrawn; ++i) {
            const std::int32_t a = loose[draw.below(loose.size())];
            if (attributes.is_category(a)) continue;
            cells[a] = box.low[a] + draw.below(box.high[a] - box.low[a] + 1);
            drawn.push_back(a);
        }
        // Until no move is better. What was drawn would go back at once: the others are first.
        std::size_t same = 0;
        for (std::size_t i = 0; same < loose.size() && i < kMostRounds * loose.size(); ++i) {
            const std::int32_t a = loose[i % loose.size()];
            const bool waits = i < loose.size() && std::ranges::find(drawn, a) != drawn.end();
            same = !waits && move(cells, box, a, budget) ? 0 : same + 1;
            if (waits) same = 0;
        }
        look_at(cells, budget);
        if (constant_ + here_ >= margin_.need && forest_.decide(cells) != margin_.of) return true;
        if (here_ >= most) {
            most = here_;
            best = cells;
        }
    }
    return false;
}

}  // namespace cattleya::ensemble_search
