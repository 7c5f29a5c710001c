// One part of a box: which cells cannot be a rival's, and where to split.
//
// Collecting what all best leaves ask before the attributes are looked at, instead of asking for it
// attribute by attribute, was tried and dropped: it has to be done again after each narrowing, and
// with many attributes took a third longer.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ensemble_search/search.hpp"

namespace cattleya::ensemble_search {
namespace {

constexpr std::size_t kMostListed = 96;  // attributes that one part looks at
constexpr int kMostSweeps = 1;           // more shrink further, and take longer than they save
constexpr double kLittle = 1e-3;         // so that a split that helps one half is better than none
constexpr std::int32_t kFewCuts = 8;     // are looked at one after the other

}  // namespace

// With many attributes, only those in the tables whose bounds can still fall most are looked at.
void Search::choose_attributes() {
    listed_.clear();
    for (std::size_t a = 0; a < low_.size(); ++a) {
        if (is_open(static_cast<std::int32_t>(a))) listed_.push_back(static_cast<std::int32_t>(a));
    }
    if (listed_.size() <= kMostListed) return;
    spread_.resize(top_.size());
    for (std::size_t t = 0; t < top_.size(); ++t) {
        spread_[t] = top_[t] - last_weight(tables_.table[t]);
    }
    Vector<std::int64_t> worth(low_.size(), 0);
    for (const std::int32_t a : listed_) {
        const Active& active = tables_.active[a];
        for (std::int32_t e = 0; e < active.n_entries; ++e) {
            worth[a] += spread_[tables_.entry[active.first_entry + e].table];
        }
    }
    std::ranges::nth_element(listed_, listed_.begin() + kMostListed,
                             [&](std::int32_t x, std::int32_t y) {
                                 return worth[x] != worth[y] ? worth[x] > worth[y] : x < y;
                             });
    listed_.resize(kMostListed);
}

bool Search::shrink(Split& split) {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        if (nearest_ != nullptr) {
            bound_cost();
            if (lower_ >= best_ || is_blocked_part()) return false;
            if (!shrink_by_cost()) return false;
            if (bound_ < margin_.need) return false;
            if (take_cheapest()) return false;  // nothing in this part is better
        }
        choose_attributes();
        bool changed = false;
        double most = -1;
        split.active = -1;
        for (const std::int32_t a : listed_) {
            bool is_left = true;
            if (tables_.active[a].is_category) {
                is_left = shrink_category(a, split, most, changed);
            } else {
                if (missing_[a] != 0) is_left = shrink_missing(a, split, most, changed);
                if (is_left && low_[a] < high_[a]) {
                    is_left = shrink_number(a, split, most, changed);
                }
            }
            if (!is_left || bound_ < margin_.need) return false;
        }
        if (!changed) break;
    }
    if (split.active < 0 || !splits(split)) {
        split.active = -1;
        split_anything(split);
    }
    return true;
}

// Whether both sides of a split are there: a later sweep may have taken one away.
bool Search::splits(const Split& split) const {
    const std::int32_t a = split.active;
    if (!tables_.active[a].is_category) {
        if (split.cut == kMissing) return missing_[a] != 0 && low_[a] <= high_[a];
        return low_[a] <= split.cut && split.cut < high_[a];
    }
    bool inside = false, outside = false;
    for (std::size_t w = 0; w < split.set.size(); ++w) {
        inside = inside || (set_[first_set_[a] + w] & split.set[w]) != 0;
        outside = outside || (set_[first_set_[a] + w] & ~split.set[w]) != 0;
    }
    return inside && outside;
}

// The steps of a drop along the cuts of an entry: it only grows in one direction, so that between
// two cuts with equal drops there is none.
void Search::steps(const std::uint64_t* mask, const std::uint64_t* also, const Table& t,
                   const std::int32_t* cut, std::int32_t from, std::int32_t to, std::int64_t top,
                   Vector<std::int64_t>& drop, bool falling) {
    const std::uint64_t* const reach = reach_.data() + t.words;
    const std::int64_t words = t.n_words;
    const std::int32_t step = falling ? -1 : 1, count = to - from;
    const std::int32_t first = falling ? to - 1 : from;
    // What is left where it is missing is left at every cut.
    const std::int64_t least = also == nullptr ? kNoLeaf : first_weight(t, reach, also);
    const auto at = [&](std::int32_t i) {
        return top - std::max(least, first_weight(t, reach, mask + (first + step * i) * words));
    };
    std::int64_t before = 0;
    if (count <= kFewCuts) {
        for (std::int32_t i = 0; i < count; ++i) {
            const std::int64_t here = at(i);
            drop[cut[first + step * i]] += here - before;
            before = here;
        }
        return;
    }
    const std::int64_t greatest = at(count - 1);
    for (std::int32_t i = 0; before != greatest;) {
        const std::int64_t here = at(i);
        if (here != before) drop[cut[first + step * i]] += here - before;
        before = here;
        // The first cut further on with a greater drop: by strides that double, then by halves.
        std::int32_t same = i, stride = 1;
        while (same + stride < count && at(same + stride) == here) {
            same += stride;
            stride *= 2;
        }
        std::int32_t other = std::min(same + stride, count - 1);
        while (other - same > 1) {
            const std::int32_t middle = (same + other) / 2;
            (at(middle) == here ? same : other) = middle;
        }
        i = other;
    }
}

// What the best leaf that is left of a table asks of an attribute; nothing where it does not ask.
// Only what it asks for can bring the bound of its table down.
const Ask* Search::best_ask(std::int32_t a, std::int32_t table) const {
    const auto [leaf, first_ask, asked] = best_leaf_[table];
    const Ask* ask = tables_.ask.data() + first_ask;
    if (low_.size() <= 64) {  // each has a bit of its own, and they are in order
        return ask + std::popcount(asked & ((std::uint64_t{1} << a) - 1));
    }
    const Ask* const end = tables_.ask.data() + tables_.first_ask[leaf + 1];
    while (ask != end && ask->attribute != a) ++ask;
    return ask != end ? ask : nullptr;
}

// Adds up by how much the bound drops at each cut, on either side.
void Search::drops(std::int32_t a, const Entry& entry) {
    const Table& t = tables_.table[entry.table];
    const Ask* const ask = best_ask(a, entry.table);
    if (ask == nullptr) return;
    // The best leaf is left up to the cuts from its first cell on, and above those before its last.
    const bool anywhere = ask->low > ask->high;  // only missing has it
    const std::int32_t first = anywhere ? high_[a] : std::min(ask->low, high_[a]);
    const std::int32_t last = anywhere ? low_[a] : std::max(ask->high, low_[a]);
    const std::int32_t* const cut = tables_.cut.data() + entry.cuts;
    const std::int64_t top = top_[entry.table];
    const std::uint64_t* const mask = tables_.mask.data();
    if (first > low_[a]) {
        const std::int32_t from = first_from(cut, entry.n_cuts, low_[a]);
        const std::int32_t to = first_from(cut, entry.n_cuts, first);
        if (from < to) {
            steps(mask + entry.up_to, nullptr, t, cut, from, to, top, drop_up_to_, true);
        }
    }
    if (last < high_[a]) {
        const std::int32_t from = first_from(cut, entry.n_cuts, last);
        const std::int32_t to = first_from(cut, entry.n_cuts, high_[a]);
        if (from == to) return;
        steps(mask + entry.above, nullptr, t, cut, from, to, top, drop_above_, false);
        if (missing_[a] != 0 && ask->missing == 0) {
            steps(mask + entry.above, mask + entry.missing, t, cut, from, to, top, drop_either_,
                  false);
        }
    }
}

// How good a split is by which the bound drops so far, as a part of the room. Their product alone
// took twice as long for one row of adult's forest of 500 full trees; divided by their sum, a tenth
// longer for spambase's boosted trees.
double Search::score(double left, double right) {
    left = std::min(left, 1.0) + kLittle;
    right = std::min(right, 1.0) + kLittle;
    return left * right / std::sqrt(left + right);
}

// Where the attribute may be missing as well, missing goes with what is above a cut.
bool Search::shrink_number(std::int32_t a, Split& split, double& most, bool& changed) {
    const Active& active = tables_.active[a];
    const std::int32_t low = low_[a], high = high_[a];
    if (drop_up_to_.size() < static_cast<std::size_t>(active.n_cells)) {
        drop_up_to_.resize(active.n_cells);
        drop_above_.resize(active.n_cells);
        drop_either_.resize(active.n_cells);
    }
    std::fill(drop_up_to_.begin() + low, drop_up_to_.begin() + high, 0);
    std::fill(drop_above_.begin() + low, drop_above_.begin() + high, 0);
    if (missing_[a] != 0) {
        std::fill(drop_either_.begin() + low, drop_either_.begin() + high, 0);
    }
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        if (may_ask(entry.table, a)) drops(a, entry);
    }
    budget_.tick(active.n_entries * 30 + (high - low) * 4);
    for (std::int32_t x = high - 2; x >= low; --x) drop_up_to_[x] += drop_up_to_[x + 1];
    for (std::int32_t x = low + 1; x < high; ++x) drop_above_[x] += drop_above_[x - 1];
    if (missing_[a] != 0) {
        for (std::int32_t x = low + 1; x < high; ++x) drop_either_[x] += drop_either_[x - 1];
    }
    const std::int64_t room = bound_ - margin_.need;  // a greater drop leaves nothing
    std::int32_t first = low, last = high;
    while (first < high && drop_up_to_[first] > room) ++first;
    while (last > low && drop_above_[last - 1] > room) --last;
    if (first > last) {
        if (missing_[a] == 0) return false;
        only_missing(a);
        changed = true;
        return true;
    }
    if (first > low || last < high) {
        if (first > low) narrow_low(a, first);
        if (last < high) narrow_high(a, last);
        changed = true;
        return true;
    }
    const double unit = static_cast<double>(room) + 1;
    const std::int32_t home = home_[a];
    const Vector<std::int64_t>& with_gap = missing_[a] == 0 ? drop_above_ : drop_either_;
    for (std::int32_t x = low; x < high; ++x) {
        double left = static_cast<double>(drop_up_to_[x]) / unit;
        double right = static_cast<double>(with_gap[x]) / unit;
        if (nearest_ != nullptr && home >= low && home <= high) {
            const Cost& away = home <= x ? cell_cost(a, x + 1) : cell_cost(a, x);
            double share = best_.changes < Cost::kNever && best_.changes > lower_.changes
                               ? away.changes / (best_.changes - lower_.changes)
                               : 0;
            if (best_.changes <= lower_.changes && best_.total > lower_.total) {
                share = away.total / (best_.total - lower_.total);
            }
            (home <= x ? right : left) += std::min(share, 1.0);
        }
        if (left + right <= 0) continue;
        const double here = score(left, right);
        if (here <= most) continue;
        most = here;
        const bool near_first = home >= 0 && nearest_ != nullptr ? home <= x : left <= right;
        split = {a, x, near_first, {}};
    }
    return true;
}

bool Search::shrink_missing(std::int32_t a, Split& split, double& most, bool& changed) {
    if (low_[a] > high_[a]) return true;
    const Active& active = tables_.active[a];
    std::int64_t gap = 0, present = 0;
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        const Table& t = tables_.table[entry.table];
        if (!may_ask(entry.table, a) || best_ask(a, entry.table) == nullptr) continue;
        const std::uint64_t* const reach = reach_.data() + t.words;
        const std::uint64_t* const mask = tables_.mask.data() + entry.missing;
        gap += top_[entry.table] - first_weight(t, reach, mask);
        present += top_[entry.table] - first_weight(t, reach, mask + t.n_words);
    }
    budget_.tick(active.n_entries * 20);
    const std::int64_t room = bound_ - margin_.need;
    if (gap > room && present > room) return false;
    if (gap > room) {
        only_present(a);
        changed = true;
    } else if (present > room) {
        only_missing(a);
        changed = true;
    } else {
        const double unit = static_cast<double>(room) + 1;
        const double here =
            score(static_cast<double>(gap) / unit, static_cast<double>(present) / unit);
        if (here > most) {
            most = here;
            const bool gap_first = nearest_ != nullptr ? home_[a] == kMissing : gap <= present;
            split = {a, kMissing, gap_first, {}};
        }
    }
    return true;
}

bool Search::shrink_category(std::int32_t a, Split& split, double& most, bool& changed) {
    const Active& active = tables_.active[a];
    Vector<std::pair<std::int64_t, std::int32_t>> by_drop;
    for (std::int32_t c = 0; c < active.n_cells; ++c) {
        if ((set_[first_set_[a] + c / 64] >> (c % 64) & 1) == 0) continue;
        std::int64_t drop = 0;
        for (std::int32_t e = 0; e < active.n_entries; ++e) {
            const Entry& entry = tables_.entry[active.first_entry + e];
            const Table& t = tables_.table[entry.table];
            drop += top_[entry.table] -
                    first_weight(t, reach_.data() + t.words,
                                 tables_.mask.data() + entry.up_to + std::int64_t{c} * t.n_words);
        }
        by_drop.emplace_back(drop, c);
    }
    budget_.tick(static_cast<std::int64_t>(by_drop.size()) * active.n_entries * 8);
    std::ranges::sort(by_drop);
    const std::int64_t room = bound_ - margin_.need;
    std::size_t count = by_drop.size();
    while (count > 0 && by_drop[count - 1].first > room) --count;
    if (count == 0) return false;
    Vector<std::uint64_t> set(static_cast<std::size_t>(active.n_words), 0);
    const auto add = [&](std::size_t i) {
        set[by_drop[i].second / 64] |= std::uint64_t{1} << (by_drop[i].second % 64);
    };
    if (count < by_drop.size()) {
        for (std::size_t i = 0; i < count; ++i) add(i);
        keep_cells(a, set.data());
        changed = true;
        return true;
    }
    if (count < 2) return true;
    // Those that lose least against those that lose more: where the two are furthest apart.
    std::size_t best = 1;
    for (std::size_t i = 2; i < count; ++i) {
        if (by_drop[i].first - by_drop[i - 1].first >
            by_drop[best].first - by_drop[best - 1].first) {
            best = i;
        }
    }
    if (by_drop.back().first == 0) best = count / 2;
    const double unit = static_cast<double>(room) + 1;
    const double here = score(static_cast<double>(by_drop.front().first) / unit,
                              static_cast<double>(by_drop[best].first) / unit);
    if (here > most) {
        most = here;
        for (std::size_t i = 0; i < best; ++i) add(i);
        split = {a, 0, true, std::move(set)};
    }
    return true;
}

// No single split lowers the bound: the one that takes most of the best leaves away.
void Search::split_anything(Split& split) {
    double most = -1;
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        if (!is_open(a)) continue;
        const Active& active = tables_.active[a];
        if (active.is_category || low_[a] >= high_[a]) {
            if (most > 0) continue;
            if (!active.is_category) {
                split = {a, kMissing, true, {}};
            } else {
                Vector<std::uint64_t> set(static_cast<std::size_t>(active.n_words), 0);
                std::int32_t c = 0;
                while ((set_[first_set_[a] + c / 64] >> (c % 64) & 1) == 0) ++c;
                set[c / 64] = std::uint64_t{1} << (c % 64);
                split = {a, 0, true, std::move(set)};
            }
            most = 0;
            continue;
        }
        if (most < 0) {
            split = {a, (low_[a] + high_[a] - 1) / 2, true, {}};
            most = 0;
        }
        for (std::int32_t e = 0; e < active.n_entries; ++e) {
            const Entry& entry = tables_.entry[active.first_entry + e];
            const Table& t = tables_.table[entry.table];
            if (last_weight(t) == top_[entry.table]) continue;
            const std::int32_t* const cut = tables_.cut.data() + entry.cuts;
            for (std::int32_t i = 0; i < entry.n_cuts; ++i) {
                if (cut[i] < low_[a] || cut[i] >= high_[a]) continue;
                double lost_low = 0, lost_high = 0, all = 0;
                for (std::int32_t w = 0; w < t.n_words; ++w) {
                    const std::uint64_t reach = reach_[t.words + w];
                    const std::int64_t at = std::int64_t{i} * t.n_words + w;
                    all += std::popcount(reach);
                    lost_low += std::popcount(reach & ~tables_.mask[entry.up_to + at]);
                    lost_high += std::popcount(reach & ~tables_.mask[entry.above + at]);
                }
                const double here = (lost_low / all) * (lost_high / all) *
                                    static_cast<double>(top_[entry.table] - last_weight(t));
                if (here > most) {
                    most = here;
                    split = {a, cut[i], lost_low <= lost_high, {}};
                }
            }
        }
    }
    budget_.tick(static_cast<std::int64_t>(tables_.entry.size()) * 20);
}

}  // namespace cattleya::ensemble_search
