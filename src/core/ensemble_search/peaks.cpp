#include "ensemble_search/peaks.hpp"

#include <algorithm>

namespace cattleya::ensemble_search {
namespace {

constexpr std::int64_t kMostKept = std::int64_t{1} << 22;  // numbers: 32 MiB

}  // namespace

Peaks::ByNode Peaks::of(const Forest& forest, const Margin& margin, Budget& budget) {
    const std::lock_guard<std::mutex> alone(busy_);
    for (const Kept& kept : kept_) {
        if (kept.of == margin.of && kept.rival == margin.rival) return kept.peaks;
    }
    const Accounting not_counted(nullptr);  // it outlives the question
    const std::int32_t last = forest.n_trees() - 1;
    const std::int64_t count = last < 0 ? 0 : forest.root(last) + forest.n_nodes(last);
    ByNode made;
    if (count <= kMostKept - count_) {
        Vector<std::int64_t> peaks(static_cast<std::size_t>(count));
        Vector<std::int32_t> open, order;  // of the nodes of a tree, each before those below it
        for (std::int32_t t = 0; t <= last; ++t) {
            order.clear();
            open.assign(1, forest.root(t));
            while (!open.empty()) {
                const Node& n = forest.node(open.back());
                order.push_back(open.back());
                open.pop_back();
                if (n.attribute < 0) continue;
                open.push_back(n.right);
                open.push_back(n.left);
            }
            for (std::size_t i = order.size(); i-- > 0;) {
                const Node& n = forest.node(order[i]);
                peaks[order[i]] = n.attribute < 0 ? forest.weight(margin, t, n)
                                                  : std::max(peaks[n.left], peaks[n.right]);
            }
            budget.tick(static_cast<std::int64_t>(order.size()) * 8);
        }
        made = std::make_shared<const Vector<std::int64_t>>(std::move(peaks));
        count_ += count;
    }
    kept_.push_back({margin.of, margin.rival, made});
    return made;
}

}  // namespace cattleya::ensemble_search
