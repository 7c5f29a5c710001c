// Rows that are tried on the way of a search: good guesses at a rival's row.
#include <algorithm>
#include <bit>

#include "ensemble_search/search.hpp"

namespace cattleya::ensemble_search {

// Whether rows of an outcome are looked for. A row to change to is to have another outcome for
// sure; without costs, it only shows that not all rows have one.
bool Search::is_wanted(std::int32_t outcome) const {
    if (!any_other_) return outcome == margin_.rival;
    return outcome != margin_.of && (outcome != kUnsure || nearest_ == nullptr);
}

// Whether the row in `cells_` is one that is looked for; if so, it is kept.
bool Search::check() {
    budget_.tick(forest_.n_trees() * 60);
    if (!is_wanted(forest_.decide(cells_))) return false;
    if (nearest_ != nullptr) {
        const Cost cost = cost_of(cells_);
        if (cost >= best_ || is_blocked_row()) return false;
        best_ = cost;
    }
    found_ = cells_;
    return true;
}

// A part that is a single row for the margin is several for the trees that add the same to it for
// all of them. Two of these rows may have different outcomes: sums that are equal but for rounding
// are not, and of several outcomes one more may be ahead. Whether a row was found, which the
// cheapest, that was tried, is not.
bool Search::settle() {
    const std::int32_t outcome = forest_.decide(cells_);
    // It is dearer than the best, or blocked, and so is all else here.
    if (is_wanted(outcome)) return false;
    if (nearest_ == nullptr) return scan(part());
    if (!(cost_of(cells_) < best_)) return false;
    Box box = part();
    if (!any_other_ && settle_(box, outcome, best_, found_)) return true;
    return scan(std::move(box));
}

// Goes through all the sums that rows of a box have.
bool Search::scan(Box&& box) {
    bool found = false;
    Vector<Box> open;
    open.push_back(std::move(box));
    while (!open.empty()) {
        Box one = std::move(open.back());
        open.pop_back();
        take_cheapest_of(one);
        if (nearest_ != nullptr && !(cost_of(cells_) < best_)) continue;
        if (check()) {
            found = true;
            if (nearest_ == nullptr) return true;
            continue;
        }
        budget_.tick(forest_.n_trees() * 200);
        const Node* const test = forest_.differing(one);
        if (test == nullptr) continue;
        Box other = one;
        forest_.restrict(*test, true, one);
        forest_.restrict(*test, false, other);
        open.push_back(std::move(other));
        open.push_back(std::move(one));
    }
    return found;
}

// The row of a box that costs least; without costs, that is as near to the row as its cells go.
void Search::take_cheapest_of(const Box& box) {
    const Attributes& attributes = forest_.attributes();
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        cells_[a] = row_[a];
        if (attributes.contains(box, a, row_[a])) continue;
        bool any = false;
        Cost least;
        for (std::int32_t c = kMissing; c < attributes.n_cells(a); ++c) {
            if (c == kMissing && attributes.is_category(a)) continue;
            if (!attributes.contains(box, a, c)) continue;
            const Cost cost = nearest_ == nullptr ? Cost{} : given_cost(a, c);
            if (any && !(cost < least)) continue;
            any = true;
            least = cost;
            cells_[a] = c;
        }
        budget_.tick(attributes.n_cells(a));
    }
}

// The row that meets the best leaves of as many tables as go together, the weightiest first; false
// where it cannot be a rival's, as what it meets does not suffice.
bool Search::meet_best() {
    std::int64_t met = bound_;
    meet_low_ = low_;
    meet_high_ = high_;
    meet_missing_ = missing_;
    meet_set_ = set_;
    by_spread_.clear();
    spread_.resize(top_.size());
    for (std::size_t t = 0; t < top_.size(); ++t) {
        spread_[t] = top_[t] - last_weight(tables_.table[t]);
        if (spread_[t] > 0) by_spread_.push_back(static_cast<std::int32_t>(t));
    }
    std::ranges::sort(by_spread_, [&](std::int32_t x, std::int32_t y) {
        return spread_[x] != spread_[y] ? spread_[x] > spread_[y] : x < y;
    });
    const auto fits = [&](const Ask& ask) {
        if (ask.set >= 0) {
            for (std::int32_t w = 0; w < tables_.active[ask.attribute].n_words; ++w) {
                const std::uint64_t own = meet_set_[first_set_[ask.attribute] + w];
                if ((own & tables_.sets[ask.set + w]) != 0) return true;
            }
            return false;
        }
        if (ask.missing != 0 && meet_missing_[ask.attribute] != 0) return true;
        return std::max(ask.low, meet_low_[ask.attribute]) <=
               std::min(ask.high, meet_high_[ask.attribute]);
    };
    for (const std::int32_t number : by_spread_) {
        const Table& t = tables_.table[number];
        for (std::int32_t w = 0; w < t.n_words; ++w) {
            std::uint64_t left = reach_[t.words + w];
            while (left != 0) {
                const std::int64_t leaf = t.first_leaf + w * 64 + std::countr_zero(left);
                left &= left - 1;
                const std::span<const Ask> asks{
                    tables_.ask.data() + tables_.first_ask[leaf],
                    static_cast<std::size_t>(tables_.first_ask[leaf + 1] -
                                             tables_.first_ask[leaf])};
                if (!std::ranges::all_of(asks, fits)) continue;
                met += tables_.weight[leaf] - top_[number];
                for (const Ask& ask : asks) {
                    const std::int32_t a = ask.attribute;
                    if (ask.set >= 0) {
                        for (std::int32_t v = 0; v < tables_.active[a].n_words; ++v) {
                            meet_set_[first_set_[a] + v] &= tables_.sets[ask.set + v];
                        }
                        continue;
                    }
                    meet_low_[a] = std::max(ask.low, meet_low_[a]);
                    meet_high_[a] = std::min(ask.high, meet_high_[a]);
                    meet_missing_[a] &= ask.missing;
                }
                w = t.n_words;
                break;
            }
        }
    }
    budget_.tick(static_cast<std::int64_t>(by_spread_.size()) * 200);
    // As near to the row as that leaves.
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        const Active& active = tables_.active[a];
        const std::int32_t home = home_[a];
        std::int32_t cell = kMissing;
        if (active.is_category) {
            const std::uint64_t* const set = meet_set_.data() + first_set_[a];
            cell = home;
            if (home < 0 || (set[home / 64] >> (home % 64) & 1) == 0) {
                for (cell = 0; (set[cell / 64] >> (cell % 64) & 1) == 0;) ++cell;
            }
        } else if (meet_low_[a] <= meet_high_[a] && (home != kMissing || meet_missing_[a] == 0)) {
            cell = std::clamp(std::max(home, 0), meet_low_[a], meet_high_[a]);
        }
        cells_[active.attribute] = represented(a, cell);
    }
    return met >= margin_.need;
}

// Moves one attribute after the other to its best cell.
bool Search::climb(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        bool better = false;
        for (std::size_t a = 0; a < low_.size(); ++a) {
            const auto place = static_cast<std::int32_t>(a);
            if (!is_open(place)) continue;
            better = (tables_.active[a].is_category
                          ? climb_.category(cells_, tables_.active[a].attribute,
                                            set_.data() + first_set_[a], budget_)
                          : climb_number(place)) ||
                     better;
        }
        if (check()) return true;
        if (!better) break;
    }
    return false;
}

bool Search::climb_number(std::int32_t a) {
    const std::int32_t attribute = tables_.active[a].attribute;
    if (low_[a] > high_[a] || cells_[attribute] == kMissing) return false;
    return climb_.number(cells_, attribute, first_in(a, low_[a]), last_in(a, high_[a]), budget_);
}

bool Search::try_rows() {
    constexpr int kRounds = 4;
    meet_best();
    const bool found = check() || climb(kRounds);
    if (found && nearest_ != nullptr) pull();
    return found;
}

// Moves what was found back towards the row, as long as that is better.
void Search::pull() {
    cells_ = found_;
    for (bool moved = true; moved;) {
        moved = false;
        for (const Active& active : tables_.active) {
            const std::int32_t a = active.attribute;
            std::int32_t own = row_[a];
            if (cells_[a] == own || !forest_.attributes().contains(box_, a, own)) continue;
            const std::int32_t before = cells_[a];
            cells_[a] = own;
            if (check()) {
                moved = true;
                continue;
            }
            cells_[a] = before;
            if (active.is_category || before == kMissing || own == kMissing) continue;
            // By halves: not every cell between is a rival's, but any that is will do.
            std::int32_t good = before;
            while (good - own > 1 || own - good > 1) {
                const std::int32_t middle = own + (good - own) / 2;
                cells_[a] = middle;
                if (check()) {
                    good = middle;
                    moved = true;
                } else {
                    own = middle;
                }
            }
            cells_[a] = good;
        }
    }
}

}  // namespace cattleya::ensemble_search
