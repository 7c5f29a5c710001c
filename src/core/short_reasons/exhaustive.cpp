// Deciding whether a set of some size reaches the share: branch and bound over all of them.
//
// Let R right and W wrong rows be left, and r facts to add. Some fact of a set that reaches the
// share excludes at least an r-th of the wrong rows that must go. So facts are tried in the order
// of how many wrong rows they exclude, and one that was tried is out for those after it. What r
// facts exclude together is at most the sum of what each does, of different slots; where W minus
// that is still too much for the right rows that are left, no set below reaches the share.
//
// Sizes are asked one after the other, and at each the most promising fact is tried first. The way
// down is all that is kept: a size that is refuted takes a visit of everything that the bound
// leaves, in whatever order, so that a queue of the best would cost memory and save nothing.
//
// A fact that excludes no wrong row, or none that a wider one of its slot does not, is never
// needed: with the wider one there are as few wrong rows and more right ones.
#include <algorithm>

#include "short_reasons/search.hpp"

namespace cattleya::short_reasons {

namespace {

__extension__ using Wide = __int128;

struct Option {
    std::int32_t fact;
    Counts counts;
};

class Exhaustive {
   public:
    Exhaustive(const Table& table, const Facts& facts, const Wanted& wanted, std::int32_t size,
               Budget& budget)
        : table_(table), facts_(facts), wanted_(wanted), budget_(budget) {
        levels_.resize(static_cast<std::size_t>(size));
        is_out_.assign(facts.slot.size(), 0);
    }

    std::optional<Found> run(std::int32_t size) {
        Rows every(static_cast<std::size_t>(table_.n_rows()));
        Counts all{};
        for (std::size_t i = 0; i < every.size(); ++i) {
            every[i] = static_cast<std::int32_t>(i);
            ++(table_.outcome()[i] == wanted_.outcome ? all.right : all.wrong);
        }
        if (all.rows() < wanted_.least_rows) return std::nullopt;
        if (wanted_.is_reached(all)) return Found{{}, all, lower_bound(all.right, all.wrong)};
        if (size > 0) visit(every, all, size);
        return std::move(found_);
    }

   private:
    struct Level {
        Histogram histogram;
        std::vector<Option> options;
        std::vector<std::int32_t> most;  // of each slot, the wrong rows that a fact excludes
        Rows rows;
    };

    // Whether so few wrong rows can be left that `right` of them suffice.
    [[nodiscard]] bool can_reach(std::int64_t right, std::int64_t wrong, std::int64_t out) const {
        const std::int64_t left = std::max<std::int64_t>(wrong - out, 0);
        return Wide{right} * wanted_.share_in >= Wide{wanted_.share_of} * (right + left);
    }

    bool visit(const Rows& rows, const Counts& counts, std::int32_t size) {
        Level& level = levels_[static_cast<std::size_t>(size - 1)];
        budget_.tick(table_.work(rows.size()));
        table_.fill(rows, wanted_.outcome, level.histogram);
        if (list(level, counts, size)) return true;
        if (size == 1) return false;
        std::vector<std::int32_t> tried;
        for (const Option& option : level.options) {
            const std::int64_t own = counts.wrong - option.counts.wrong;
            if (!can_reach(counts.right, counts.wrong, own * size)) break;
            std::int64_t out = own, others = 0;
            for (std::size_t i = 0; i < level.most.size() && others < size - 1; ++i, ++others) {
                out += std::min<std::int64_t>(level.most[i], own);
            }
            if (can_reach(option.counts.right, counts.wrong, out)) {
                level.rows.clear();
                for (const std::int32_t row : rows) {
                    if (table_.has(row, facts_, option.fact)) level.rows.push_back(row);
                }
                budget_.tick(2 * static_cast<std::int64_t>(rows.size()));
                chosen_.push_back(option.fact);
                const bool is_found = visit(level.rows, option.counts, size - 1);
                chosen_.pop_back();
                if (is_found) return true;
            }
            ++is_out_[option.fact];
            tried.push_back(option.fact);
        }
        for (const std::int32_t fact : tried) --is_out_[fact];
        return false;
    }

    // Lists the facts worth trying, those that exclude most first. True where one suffices.
    bool list(Level& level, const Counts& counts, std::int32_t size) {
        level.options.clear();
        level.most.clear();
        std::optional<Found> best;
        std::int32_t slot = -1, least_wrong = 0;
        bool is_used = false;
        for (std::int32_t fact = 0; fact < facts_.size(); ++fact) {
            if (facts_.slot[fact] != slot) {
                slot = facts_.slot[fact];
                least_wrong = counts.wrong;
                is_used = std::ranges::any_of(
                    chosen_, [&](std::int32_t one) { return facts_.slot[one] == slot; });
                level.most.push_back(0);
            }
            if (is_used) continue;
            const Counts found = table_.count(level.histogram, facts_, fact);
            if (found.wrong >= least_wrong || found.rows() < wanted_.least_rows) continue;
            least_wrong = found.wrong;
            if (is_out_[fact] != 0) continue;
            if (wanted_.is_reached(found)) {
                Found one{chosen_, found, lower_bound(found.right, found.wrong)};
                one.facts.push_back(fact);
                std::ranges::sort(one.facts);
                if (!best || one.is_better_than(*best)) best = std::move(one);
            }
            level.options.push_back({fact, found});
            level.most.back() = std::max(level.most.back(), counts.wrong - found.wrong);
        }
        if (best) {
            found_ = std::move(best);
            return true;
        }
        if (size == 1) return false;
        std::ranges::sort(level.options, [](const Option& a, const Option& b) {
            if (a.counts.wrong != b.counts.wrong) return a.counts.wrong < b.counts.wrong;
            if (a.counts.right != b.counts.right) return a.counts.right > b.counts.right;
            return a.fact < b.fact;
        });
        // One slot is that of the fact tried first, whose own share is counted apart: the largest
        // is left in, which only makes the bound looser.
        std::ranges::sort(level.most, std::greater<>());
        return false;
    }

    const Table& table_;
    const Facts& facts_;
    const Wanted& wanted_;
    Budget& budget_;
    std::vector<Level> levels_;  // by the facts that are still to be added, less one
    std::vector<std::int32_t> is_out_, chosen_;
    std::optional<Found> found_;
};

}  // namespace

std::optional<Found> smaller(const Table& table, const Facts& facts, const Wanted& wanted,
                             std::int32_t size, Budget& budget) {
    table.check(facts);
    return Exhaustive(table, facts, wanted, size, budget).run(size);
}

}  // namespace cattleya::short_reasons
