#include "minimum/bounds.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace cattleya::minimum {

Weight lower_bound(const Family& family, std::span<const Weight> weights, Budget& budget) {
    Vector<Weight> left(family.tag.size());
    for (std::size_t a = 0; a < left.size(); ++a) left[a] = weight_of(family.tag[a], weights);
    Vector<std::int32_t> order(static_cast<std::size_t>(family.n_clauses()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return family.size(a) < family.size(b);
    });
    Weight paid = 0;
    for (const std::int32_t c : order) {
        budget.tick(10 + 5 * family.size(c));
        Weight most = ~Weight{0};
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i) {
            most = std::min(most, left[family.atom[i]]);
        }
        if (most == 0) continue;
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i) left[family.atom[i]] -= most;
        paid += most;
    }
    return paid;
}

Vector<std::int32_t> greedy_set(const Family& family, std::span<const Weight> weights,
                                Budget& budget) {
    Vector<Vector<std::int32_t>> on(family.tag.size());
    for (std::int32_t c = 0; c < family.n_clauses(); ++c) {
        budget.tick(10 + 10 * family.size(c));
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i) {
            on[family.atom[i]].push_back(c);
        }
    }
    Vector<std::int32_t> hits(static_cast<std::size_t>(family.n_clauses()), 0);
    const auto worth = [&](std::int32_t a) {
        budget.tick(50 + 2 * static_cast<std::int64_t>(on[a].size()));
        const auto open =
            std::count_if(on[a].begin(), on[a].end(), [&](std::int32_t c) { return hits[c] == 0; });
        return static_cast<double>(open) / static_cast<double>(weight_of(family.tag[a], weights));
    };
    // A worth only falls, so that an entry which is still true is the best.
    std::priority_queue<std::pair<double, std::int32_t>> queue;
    for (std::int32_t a = 0; a < family.n_atoms(); ++a) queue.emplace(worth(a), -a);
    Vector<std::int32_t> chosen;
    while (!queue.empty()) {
        const auto [value, negated] = queue.top();
        queue.pop();
        const double now = worth(-negated);
        if (now == 0) continue;
        if (now < value) {
            queue.emplace(now, negated);
            continue;
        }
        chosen.push_back(-negated);
        for (const std::int32_t c : on[-negated]) ++hits[c];
    }
    Vector<std::int32_t> needed;
    for (const std::int32_t a : chosen) {
        if (std::any_of(on[a].begin(), on[a].end(), [&](std::int32_t c) { return hits[c] == 1; })) {
            needed.push_back(a);
        } else {
            for (const std::int32_t c : on[a]) --hits[c];
        }
    }
    return needed;
}

}  // namespace cattleya::minimum
