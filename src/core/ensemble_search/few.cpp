#include "ensemble_search/few.hpp"

#include <algorithm>
#include <utility>

namespace cattleya::ensemble_search {
namespace {

constexpr std::size_t kMostFound = 100'000;  // sets

}  // namespace

// The leaves that need so many changes at the most, and add more than the row's own; and the
// attributes of all leaves, since one that adds nothing may still bring others together.
bool FewChanges::walk(int count, std::int64_t most_work, Budget& budget) {
    struct Step {
        std::int32_t node, count;
        std::array<std::int32_t, kFew> needs;
    };
    Level& level = levels_.front();
    level.leaves.clear();
    level.next.clear();
    level.room = margin_.constant - margin_.need;
    Vector<Step> open;
    for (std::int32_t t = 0; t < forest_.n_trees(); ++t) {
        const std::int64_t own = forest_.weight(margin_, t, forest_.node(forest_.leaf_of(t, row_)));
        level.room += own;
        open.assign(1, {forest_.root(t), 0, {}});
        std::int64_t walked = 0;
        while (!open.empty()) {
            Step step = open.back();
            open.pop_back();
            for (;; ++walked) {
                const Node& n = forest_.node(step.node);
                const std::int32_t a = n.attribute;
                if (a < 0) {
                    const std::int64_t more = forest_.weight(margin_, t, n) - own;
                    if (more > 0) level.leaves.push_back({more, t, step.count, step.needs});
                    for (std::int32_t i = 0; i < step.count; ++i) {
                        const std::int32_t needed = step.needs[i];
                        if (share_[needed]++ == 0) level.next.push_back(needed);
                    }
                    break;
                }
                const auto end = step.needs.begin() + step.count;
                const bool is_changed = std::find(step.needs.begin(), end, a) != end;
                const bool left = forest_.goes_left(n, row_[a]);
                // The other side first: the own one is gone on with.
                const std::int32_t own_side = left ? n.left : n.right;
                const std::int32_t other_side = left ? n.right : n.left;
                const int sides = forest_.sides(n, box_);
                if ((sides & (left ? 2 : 1)) != 0 && (is_changed || step.count < count)) {
                    Step other = step;
                    other.node = other_side;
                    if (!is_changed) other.needs[other.count++] = a;
                    open.push_back(other);
                }
                if (is_changed && (sides & (left ? 1 : 2)) == 0) break;
                step.node = own_side;
            }
        }
        budget.tick(walked * 10);
        most_work -= walked * 10;
        if (most_work < 0) return false;
    }
    return true;
}

// Shares out what the leaves add among the attributes that they need, and leaves those that can
// still be one of so many.
void FewChanges::open(Level& level, int count) {
    for (const std::int32_t a : level.next) share_[a] = 0;
    std::int32_t tree = -1;
    for (const Leaf& leaf : level.leaves) {
        trees_ += leaf.tree != tree ? 1 : 0;
        tree = leaf.tree;
        const std::int64_t share = (leaf.more + leaf.count - 1) / leaf.count;
        for (std::int32_t i = 0; i < leaf.count; ++i) {
            const std::int32_t a = leaf.needs[i];
            if (seen_[a] != trees_) largest_[a] = 0;
            seen_[a] = trees_;
            share_[a] += std::max<std::int64_t>(share - largest_[a], 0);
            largest_[a] = std::max(share, largest_[a]);
        }
    }
    std::ranges::sort(level.next, [&](std::int32_t x, std::int32_t y) {
        return share_[x] != share_[y] ? share_[x] < share_[y] : x > y;
    });
    work_ += std::ssize(level.leaves) * 8 + std::ssize(level.next) * 10;
    if (std::ssize(level.next) < count) {
        level.next.clear();
        return;
    }
    std::int64_t others = level.room;  // with the best but one
    for (int i = 1; i < count; ++i) others += share_[*(level.next.end() - i)];
    const auto first =
        std::ranges::find_if(level.next, [&](std::int32_t a) { return others + share_[a] >= 0; });
    if (first == level.next.begin()) return;
    if (level.next.end() - first < count) {
        level.next.clear();
        return;
    }
    for (auto one = level.next.begin(); one != first; ++one) share_[*one] = -1;
    level.next.erase(level.next.begin(), first);
    std::erase_if(level.leaves, [&](const Leaf& leaf) {
        return std::any_of(leaf.needs.begin(), leaf.needs.begin() + leaf.count,
                           [&](std::int32_t a) { return share_[a] < 0; });
    });
}

// Changes an attribute too, and so many after it; the leaves that need it are taken out here.
void FewChanges::add(Level& level, std::int32_t attribute, int count, Level& to) {
    to.room = level.room;
    to.next = level.next;
    to.leaves.clear();
    auto kept = level.leaves.begin();
    for (auto first = level.leaves.begin(); first != level.leaves.end();) {
        auto end = first;
        std::int64_t alone = 0;
        for (; end != level.leaves.end() && end->tree == first->tree; ++end) {
            if (end->count == 1 && end->needs[0] == attribute) alone = std::max(alone, end->more);
        }
        to.room += alone;
        for (; first != end; ++first) {
            Leaf leaf = *first;
            const auto needs_end = leaf.needs.begin() + leaf.count;
            const auto at = std::find(leaf.needs.begin(), needs_end, attribute);
            if (at == needs_end) {
                *kept++ = leaf;
            } else {
                *at = leaf.needs[--leaf.count];
            }
            leaf.more -= alone;
            if (leaf.more > 0 && leaf.count > 0 && leaf.count <= count) to.leaves.push_back(leaf);
        }
    }
    work_ += std::ssize(level.leaves) * 8;
    level.leaves.erase(kept, level.leaves.end());
}

bool FewChanges::find(int count, std::int64_t most_work, Vector<FewAttributes>& found,
                      Budget& budget) {
    if (count > kFew) return false;
    const auto n = static_cast<std::size_t>(forest_.attributes().size());
    levels_.resize(static_cast<std::size_t>(count));
    share_.assign(n, 0);
    largest_.assign(n, 0);
    seen_.assign(n, 0);
    trees_ = work_ = 0;
    if (!walk(count, most_work, budget)) return false;
    Vector<std::int32_t> chosen;
    open(levels_.front(), count);
    while (true) {
        Level& level = levels_[chosen.size()];
        const int left = count - static_cast<int>(chosen.size());
        if (left == 1) {
            for (const std::int32_t a : level.next) {
                FewAttributes one{level.room + share_[a], count, {}};
                one.attribute.fill(forest_.attributes().size());  // after all others
                std::ranges::copy(chosen, one.attribute.begin());
                one.attribute[chosen.size()] = a;
                std::ranges::sort(one.attribute);
                found.push_back(one);
            }
            level.next.clear();
        }
        if (std::ssize(level.next) < left || level.next.empty()) {
            if (chosen.empty()) return true;
            chosen.pop_back();
            continue;
        }
        chosen.push_back(level.next.back());
        level.next.pop_back();
        add(level, chosen.back(), left - 1, levels_[chosen.size()]);
        open(levels_[chosen.size()], left - 1);
        const std::int64_t work = std::exchange(work_, 0);
        budget.tick(work);
        most_work -= work;
        if (most_work < 0 || found.size() > kMostFound) return false;
    }
}

}  // namespace cattleya::ensemble_search
