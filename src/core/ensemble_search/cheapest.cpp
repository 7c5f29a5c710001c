// The cheapest row of another outcome.
//
// Rows that change one attribute are all looked at. Where costs count the attributes that change,
// the sets that a row may change are looked at next, the smallest first (few.hpp). Where these are
// many, a search over all cells takes turns with them: with few attributes, and many changes, it is
// quicker. With other costs there is only that search.
#include <algorithm>
#include <functional>

#include "ensemble_search/climb.hpp"
#include "ensemble_search/few.hpp"
#include "ensemble_search/row.hpp"

namespace cattleya::ensemble_search {
namespace {

// Of work, in nanoseconds.
constexpr std::int64_t kMostForSets = 300'000'000;  // to find the sets of one size
constexpr std::int64_t kHeadStart = 20'000'000;     // of the sets, before the other search
constexpr std::int64_t kPartsAtOnce = 200;          // of that search, before it is the sets' turn

bool is_blocked(const FewAttributes& few, const Nearest& costs) {
    const auto makes = [&](const Change& change) {
        return change.kind == Change::kAny &&
               std::ranges::find(few.all(), change.attribute) != few.all().end();
    };
    for (std::size_t i = 0; i + 1 < costs.blocked_start.size(); ++i) {
        const auto from = static_cast<std::size_t>(costs.blocked_start[i]);
        const auto to = static_cast<std::size_t>(costs.blocked_start[i + 1]);
        if (std::ranges::all_of(costs.blocked.subspan(from, to - from), makes)) return true;
    }
    return false;
}

}  // namespace

// The cheapest row that changes one attribute: all of them are looked at.
void RowQuestions::change_one(const Margin& margin, Wanted& wanted, Budget& budget) const {
    const Attributes& attributes = forest_.attributes();
    const Nearest& costs = wanted.costs;
    Climb climb(forest_, margin);
    Vector<std::int32_t> cells = row_;
    const auto take = [&](std::int32_t a, std::int32_t cell, std::int64_t at) {
        const Cost cost{costs.changes[at], costs.total[at]};
        if (cell == row_[a] || !attributes.contains(wanted.box, a, cell) ||
            !(cost < wanted.best.cost)) {
            return;
        }
        cells[a] = cell;
        const std::int32_t outcome = forest_.decide(cells);
        budget.tick(forest_.n_trees() * 60);
        if (wanted.toward < 0 ? outcome != outcome_ && outcome != kUnsure
                              : outcome == wanted.toward) {
            wanted.best = {Answer::kYes, cells, cost};
        }
        cells[a] = row_[a];
    };
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (!(wanted.least[a] < wanted.best.cost)) continue;
        const std::int32_t last = attributes.n_cells(a) - 1;
        const auto& sums = climb.sums(row_, a, 0, last, budget);
        for (std::int32_t c = 0; c <= last; ++c) {
            if (margin.constant + sums[c] >= margin.need) take(a, c, costs.first[a] + c);
        }
        if (attributes.may_be_missing(a)) take(a, kMissing, costs.first[a] + last + 1);
    }
}

// Whether the changes that are counted are those of attributes.
bool RowQuestions::counts_attributes(const Nearest& costs) const {
    for (std::int32_t a = 0; a < forest_.attributes().size(); ++a) {
        const std::int32_t own = row_[a] == kMissing ? forest_.attributes().n_cells(a) : row_[a];
        for (std::int64_t i = costs.first[a]; i < costs.first[a + 1]; ++i) {
            const double cost = i == costs.first[a] + own ? 0 : 1;
            if (costs.changes[i] != cost && (cost == 0 || costs.changes[i] != Cost::kNever)) {
                return false;
            }
        }
    }
    return true;
}

// The cheapest row, by sets of attributes: of one more, as long as there is none. False where more
// than a few change, or it takes too long to tell which.
bool RowQuestions::change_few(Wanted& wanted, Budget& budget) const {
    struct Set {
        FewAttributes few;
        const Margin* margin;
    };
    const auto most = std::ranges::count_if(
        wanted.least, [](const Cost& cost) { return cost.changes < Cost::kNever; });
    const std::int64_t begin = budget.done();
    std::int64_t elsewhere = 0;
    Vector<Set> sets;
    Vector<FewAttributes> found;
    const Found& best = wanted.best;
    for (int count = wanted.costs.blocked.empty() ? 2 : 1; count <= most; ++count) {
        if (best.answer == Answer::kYes && best.cost.changes < count) return true;
        sets.clear();
        for (const Margin& margin : wanted.margins) {
            found.clear();
            FewChanges changes(forest_, margin, row_, wanted.box);
            if (!changes.find(count, kMostForSets, found, budget)) return false;
            for (const FewAttributes& one : found) {
                if (!is_blocked(one, wanted.costs)) sets.push_back({one, &margin});
            }
        }
        std::ranges::stable_sort(sets, std::greater{}, [](const Set& set) { return set.few.room; });
        for (const Set& set : sets) {
            change_these(set.few, *set.margin, wanted, budget);
            const std::int64_t before = budget.done();
            if (before - begin - elsewhere <= elsewhere + kHeadStart) continue;
            if (search_all(wanted, kPartsAtOnce, budget)) return true;
            elsewhere += budget.done() - before;
        }
    }
    return true;
}

// The cheapest row that changes some attributes.
void RowQuestions::change_these(const FewAttributes& few, const Margin& margin, Wanted& wanted,
                                Budget& budget) const {
    Box part = forest_.attributes().at(row_);
    Cost least;
    for (const std::int32_t a : few.all()) {
        forest_.attributes().copy(wanted.box, a, part);
        least = least + wanted.least[a];
    }
    if (!(least < wanted.best.cost)) return;
    Agenda left;
    left.add({std::move(part), Agenda::kFirst, nullptr, kPartsLeft});
    wanted.best = search(left, margin, &wanted.costs, wanted.toward, std::move(wanted.best),
                         kAllParts, budget);
    if (wanted.best.answer == Answer::kOpen) throw TimeoutExpired();
}

// Goes on with the search over all cells; whether it has come to its end.
bool RowQuestions::search_all(Wanted& wanted, std::int64_t most_parts, Budget& budget) const {
    if (wanted.left.empty()) {
        for (const Margin& margin : wanted.margins) {
            wanted.left.push_back(agenda(wanted.box, margin, true, budget));
        }
    }
    bool all = true;
    for (std::size_t i = 0; i < wanted.margins.size(); ++i) {
        Agenda& left = wanted.left[i];
        wanted.best = search(left, wanted.margins[i], &wanted.costs, wanted.toward,
                             std::move(wanted.best), most_parts, budget);
        if (wanted.best.answer != Answer::kOpen) continue;
        budget.look();  // it is the parts, or the time
        wanted.best.answer = wanted.best.cells.empty() ? Answer::kNo : Answer::kYes;
        all = false;
    }
    return all;
}

Vector<Cost> RowQuestions::least_costs(const Nearest& costs) const {
    Vector<Cost> least(row_.size(), {Cost::kNever, Cost::kNever});
    for (std::int32_t a = 0; a < forest_.attributes().size(); ++a) {
        const std::int32_t own = row_[a] == kMissing ? forest_.attributes().n_cells(a) : row_[a];
        for (std::int64_t i = costs.first[a]; i < costs.first[a + 1]; ++i) {
            if (i == costs.first[a] + own) continue;
            least[a] = std::min(least[a], Cost{costs.changes[i], costs.total[i]});
        }
    }
    return least;
}

// Takes out of a box what alone costs as much as the best so far.
void RowQuestions::leave_out_dear(Box& box, const Nearest& costs, const Cost& best) const {
    const Attributes& attributes = forest_.attributes();
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        const std::int64_t first = costs.first[a];
        const auto is_dear = [&](std::int32_t cell) {
            return cell != row_[a] &&
                   !(Cost{costs.changes[first + cell], costs.total[first + cell]} < best);
        };
        if (attributes.is_category(a)) {
            for (std::int32_t c = 0; c < attributes.n_cells(a); ++c) {
                if (is_dear(c)) {
                    box.words[attributes.first_word(a) + c / 64] &= ~(std::uint64_t{1} << (c % 64));
                }
            }
        } else if (row_[a] != kMissing) {
            while (is_dear(box.low[a])) ++box.low[a];
            while (is_dear(box.high[a])) --box.high[a];
            if (is_dear(attributes.n_cells(a))) box.missing[a] = 0;
        }
    }
}

// Leaves an attribute as it is where no change of it is wanted again.
void RowQuestions::leave_out_blocked(Box& box, const Nearest& costs) const {
    const Box own = forest_.attributes().at(row_);
    for (std::size_t i = 0; i + 1 < costs.blocked_start.size(); ++i) {
        const std::int64_t first = costs.blocked_start[i];
        if (costs.blocked_start[i + 1] != first + 1) continue;
        const Change& change = costs.blocked[static_cast<std::size_t>(first)];
        if (change.kind == Change::kAny) {
            forest_.attributes().copy(own, change.attribute, box);
        }
    }
}

Found RowQuestions::nearest(const Box& box, const Nearest& costs, std::int32_t toward,
                            Budget& budget) {
    Wanted wanted{costs,
                  toward,
                  toward < 0 ? rivals_ : Vector<Margin>(1, forest_.margin(outcome_, toward)),
                  box,
                  least_costs(costs),
                  {Answer::kNo, {}, {Cost::kNever, Cost::kNever}},
                  {}};
    Found& best = wanted.best;
    try {
        if (costs.blocked.empty()) {
            for (const Margin& margin : wanted.margins) change_one(margin, wanted, budget);
        }
        // Two attributes cost at least twice the least of one.
        double least = Cost::kNever;
        for (const Cost& one : wanted.least) least = std::min(least, one.changes);
        if (best.answer != Answer::kYes || best.cost.changes >= 2 * least) {
            leave_out_dear(wanted.box, costs, best.cost);
            leave_out_blocked(wanted.box, costs);
            if (!counts_attributes(costs) || !change_few(wanted, budget)) {
                search_all(wanted, kAllParts, budget);
            }
        }
    } catch (const TimeoutExpired&) {
        best.answer = Answer::kOpen;
        return std::move(best);
    }
    if (best.answer == Answer::kYes) keep_witness(best.cells);
    return std::move(best);
}

}  // namespace cattleya::ensemble_search
