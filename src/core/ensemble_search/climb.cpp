#include "ensemble_search/climb.hpp"

#include <algorithm>

namespace cattleya::ensemble_search {

std::int64_t Climb::sum(const Vector<std::int32_t>& cells, Budget& budget) const {
    std::int64_t sum = 0;
    for (std::int32_t t = 0; t < forest_.n_trees(); ++t) {
        sum += forest_.weight(margin_, t, forest_.node(forest_.leaf_of(t, cells)));
    }
    budget.tick(forest_.n_trees() * 60);
    return sum;
}

const Vector<std::int64_t>& Climb::sums(const Vector<std::int32_t>& cells, std::int32_t attribute,
                                        std::int32_t first, std::int32_t last, Budget& budget) {
    sum_.assign(static_cast<std::size_t>(last - first) + 2, 0);
    if (forest_.attributes().is_category(attribute)) {
        Vector<std::int32_t> moved = cells;
        for (std::int32_t c = first; c <= last; ++c) {
            moved[attribute] = c;
            sum_[c - first] = sum(moved, budget);
        }
        return sum_;
    }
    // First as differences between neighbours.
    for (std::int32_t t = 0; t < forest_.n_trees(); ++t) {
        open_.push_back({forest_.root(t), first, last});
        while (!open_.empty()) {
            auto [n, low, high] = open_.back();
            open_.pop_back();
            while (forest_.node(n).attribute >= 0) {
                const Node& node = forest_.node(n);
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
            const std::int64_t weight = forest_.weight(margin_, t, forest_.node(n));
            sum_[low - first] += weight;
            sum_[high + 1 - first] -= weight;
        }
    }
    budget.tick(forest_.n_trees() * 60);
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
    std::int32_t& cell = cells[attribute];
    const std::int32_t before = cell;
    std::int32_t best = before;
    std::int64_t most = sum(cells, budget);
    for (std::int32_t c = 0; c < forest_.attributes().n_cells(attribute); ++c) {
        if (c == before || (set[c / 64] >> (c % 64) & 1) == 0) continue;
        cell = c;
        if (const std::int64_t here = sum(cells, budget); here > most) {
            most = here;
            best = c;
        }
    }
    cell = best;
    return best != before;
}

bool Climb::leaves(Vector<std::int32_t>& cells, const Box& box, Budget& budget) {
    constexpr int kRounds = 4;
    const Attributes& attributes = forest_.attributes();
    for (int round = 0; round < kRounds; ++round) {
        bool better = false;
        for (std::int32_t a = 0; a < attributes.size(); ++a) {
            if (attributes.is_category(a)) {
                const std::uint64_t* const set = box.words.data() + attributes.first_word(a);
                better = category(cells, a, set, budget) || better;
            } else if (cells[a] != kMissing && box.low[a] < box.high[a]) {
                better = number(cells, a, box.low[a], box.high[a], budget) || better;
            }
        }
        if (forest_.decide(cells) != margin_.of) return true;
        if (!better) break;
    }
    return false;
}

}  // namespace cattleya::ensemble_search
