#include "ensemble_search/join.hpp"

#include <algorithm>

namespace cattleya::ensemble_search {
namespace {

class Joiner {
   public:
    Joiner(const Attributes& attributes, Vector<std::uint64_t>& sets, std::size_t most)
        : attributes_(attributes), sets_(sets), most_(most) {}

    // Pairs tables up, those first whose largest leaves exclude each other, as long as a pair has
    // no more leaves than is permitted.
    void join(Vector<Leaves>& all, Budget& budget) {
        for (bool changed = true; changed;) {
            changed = false;
            std::ranges::sort(all, {}, [](const Leaves& l) { return l.size(); });
            Vector<Leaves> next;
            Vector<std::uint8_t> used(all.size(), 0);
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (used[i] != 0) continue;
                budget.tick(2000);
                if (const std::size_t j = partner(all, used, i); j < all.size()) {
                    Leaves both = product(all[i], all[j]);
                    if (both.size() <= most_) {
                        used[i] = used[j] = 1;
                        next.push_back(std::move(both));
                        changed = true;
                        continue;
                    }
                }
                used[i] = 1;
                next.push_back(std::move(all[i]));
            }
            all = std::move(next);
        }
    }

   private:
    [[nodiscard]] static std::size_t best(const Leaves& l) {
        return static_cast<std::size_t>(std::ranges::max_element(l.weight) - l.weight.begin());
    }

    // The table to join with another: its best leaf excludes the other's, or at least they share
    // attributes; the more the better.
    std::size_t partner(const Vector<Leaves>& all, const Vector<std::uint8_t>& used,
                        std::size_t i) const {
        const auto own = all[i].asks(best(all[i]));
        std::size_t found = all.size();
        std::int64_t most = 0;
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            if (all[i].size() * all[j].size() > 4 * most_) break;  // they get larger
            if (used[j] != 0) continue;
            const auto other = all[j].asks(best(all[j]));
            std::int64_t score = 0;
            bool apart = false;
            for (std::size_t x = 0, y = 0; x < own.size() && y < other.size();) {
                if (own[x].attribute < other[y].attribute) {
                    ++x;
                } else if (own[x].attribute > other[y].attribute) {
                    ++y;
                } else {
                    ++score;
                    Ask both;
                    apart = apart || !meet(own[x], other[y], both, false);
                    ++x;
                    ++y;
                }
            }
            score += apart ? 1000 : 0;
            if (score > most) {
                most = score;
                found = j;
            }
        }
        return found;
    }

    bool meet(const Ask& one, const Ask& other, Ask& both, bool keep) const {
        both = one;
        both.low = std::max(one.low, other.low);
        both.high = std::min(one.high, other.high);
        both.missing = one.missing & other.missing;
        if (one.set < 0) return both.low <= both.high || both.missing != 0;
        const std::int32_t count = attributes_.n_words(one.attribute);
        std::uint64_t any = 0;
        for (std::int32_t w = 0; w < count; ++w) any |= sets_[one.set + w] & sets_[other.set + w];
        if (any != 0 && keep) {
            both.set = static_cast<std::int32_t>(sets_.size());
            for (std::int32_t w = 0; w < count; ++w) {
                sets_.push_back(sets_[one.set + w] & sets_[other.set + w]);
            }
        }
        return any != 0;
    }

    Leaves product(const Leaves& one, const Leaves& other) const {
        Leaves both;
        for (std::size_t x = 0; x < one.size(); ++x) {
            for (std::size_t y = 0; y < other.size() && both.size() <= most_; ++y) {
                if (!combine(one.asks(x), other.asks(y), both.ask)) {
                    both.drop_asks();
                    continue;
                }
                both.add(one.weight[x] + other.weight[y]);
            }
        }
        return both;
    }

    bool combine(std::span<const Ask> one, std::span<const Ask> other, Vector<Ask>& all) const {
        std::size_t x = 0, y = 0;
        while (x < one.size() || y < other.size()) {
            const bool first =
                y == other.size() || (x < one.size() && one[x].attribute < other[y].attribute);
            const bool second =
                !first && (x == one.size() || other[y].attribute < one[x].attribute);
            if (first) {
                all.push_back(one[x++]);
            } else if (second) {
                all.push_back(other[y++]);
            } else {
                Ask both;
                if (!meet(one[x++], other[y++], both, true)) return false;
                all.push_back(both);
            }
        }
        return true;
    }

    const Attributes& attributes_;
    Vector<std::uint64_t>& sets_;
    std::size_t most_;
};

}  // namespace

void join(LeafLists& all, const Attributes& attributes, std::size_t most, Budget& budget) {
    Vector<Leaves> lists = std::move(all.lists);
    Joiner(attributes, all.sets, most).join(lists, budget);
    all.lists = {};
    for (Leaves& leaves : lists) all.take(std::move(leaves));
}

}  // namespace cattleya::ensemble_search
