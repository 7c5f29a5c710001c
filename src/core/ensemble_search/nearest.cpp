// Costs in a search: what the cheapest row of a part costs, and which cells are too dear.
#include <algorithm>
#include <bit>

#include "ensemble_search/search.hpp"

namespace cattleya::ensemble_search {

// The cost of each cell here is that of its cheapest cell of the ensemble, which represents it.
void Search::prepare_costs() {
    rep_.resize(tables_.first.size());
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const Active& active = tables_.active[place];
        const std::int32_t a = active.attribute, own = row_[a];
        cell_first_.push_back(static_cast<std::int32_t>(cell_cost_.size()));
        for (std::int32_t c = 0; c < active.n_cells; ++c) {
            std::int32_t& rep = rep_[active.first_cell + c];
            rep = c;
            if (!active.is_category) {
                const std::int32_t first = first_in(static_cast<std::int32_t>(place), c);
                const std::int32_t last = last_in(static_cast<std::int32_t>(place), c);
                rep = own == kMissing || first > last ? first : std::clamp(own, first, last);
                if (first > last) {  // outside the box
                    cell_cost_.push_back({Cost::kNever, Cost::kNever});
                    continue;
                }
                // From the end next to the row, until one is permitted.
                const std::int32_t step = rep == last && first != last ? -1 : 1;
                std::int32_t cell = rep;
                while (given_cost(a, cell).changes == Cost::kNever && cell + step >= first &&
                       cell + step <= last) {
                    cell += step;
                }
                rep = cell;
            }
            cell_cost_.push_back(given_cost(a, rep));
        }
        cell_cost_.push_back(active.may_be_missing ? given_cost(a, kMissing)
                                                   : Cost{Cost::kNever, Cost::kNever});
    }
    // What no leaf asks about, and the box does not have as in the row, costs what it costs.
    const Attributes& attributes = forest_.attributes();
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (place_[a] >= 0 || attributes.contains(box_, a, row_[a])) continue;
        Cost least{Cost::kNever, Cost::kNever};
        for (std::int32_t c = kMissing; c < attributes.n_cells(a); ++c) {
            const bool allowed =
                (c != kMissing || attributes.may_be_missing(a)) && attributes.contains(box_, a, c);
            if (!allowed || !(given_cost(a, c) < least)) continue;
            least = given_cost(a, c);
            cells_[a] = c;
        }
        elsewhere_ = elsewhere_ + least;
    }
    whole_costs_ =
        std::ranges::all_of(nearest_->total, [](double t) { return t == 0 || t == Cost::kNever; });
}

// The cheapest cell that is left of an attribute.
std::int32_t Search::cheapest(std::int32_t a) const {
    const Active& active = tables_.active[a];
    const std::int32_t home = home_[a];
    if (active.is_category) {
        const std::uint64_t* const set = set_.data() + first_set_[a];
        if (home >= 0 && (set[home / 64] >> (home % 64) & 1) != 0) return home;
        std::int32_t best = -1;
        for (std::int32_t c = 0; c < active.n_cells; ++c) {
            if ((set[c / 64] >> (c % 64) & 1) == 0) continue;
            if (best < 0 || (nearest_ != nullptr && cell_cost(a, c) < cell_cost(a, best))) best = c;
        }
        return best;
    }
    if (home >= low_[a] && home <= high_[a]) return home;
    if (low_[a] > high_[a] || (home == kMissing && missing_[a] != 0)) return kMissing;
    std::int32_t best = home > high_[a] ? high_[a] : low_[a];
    if (nearest_ == nullptr) return best;
    // Away from the row costs do not fall, but some cells are not permitted.
    const std::int32_t step = home > high_[a] ? -1 : 1;
    if (home < 0) {
        for (std::int32_t c = low_[a]; c <= high_[a]; ++c) {
            if (cell_cost(a, c) < cell_cost(a, best)) best = c;
        }
    } else {
        while (cell_cost(a, best).changes == Cost::kNever && best + step >= low_[a] &&
               best + step <= high_[a]) {
            best += step;
        }
    }
    if (missing_[a] != 0 && cell_cost(a, kMissing) < cell_cost(a, best)) return kMissing;
    return best;
}

// Added up in one order, so that rounding, which is monotone, never makes a part dearer than a row
// in it.
Cost Search::cost_of(const Vector<std::int32_t>& cells) const {
    Cost sum;
    for (std::int32_t a = 0; a < forest_.attributes().size(); ++a) {
        if (place_[a] < 0) sum = sum + given_cost(a, cells[a]);
    }
    for (const Active& active : tables_.active) {
        sum = sum + given_cost(active.attribute, cells[active.attribute]);
    }
    return sum;
}

Cost Search::given_cost(std::int32_t a, std::int32_t cell) const {
    const std::int32_t at = cell == kMissing ? forest_.attributes().n_cells(a) : cell;
    const std::int64_t i = nearest_->first[a] + at;
    return {nearest_->changes[i], nearest_->total[i]};
}

void Search::bound_cost() {
    lower_ = elsewhere_;
    local_.resize(low_.size());
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        local_[place] = cheapest(a);
        lower_ = lower_ + cell_cost(a, local_[place]);
    }
    budget_.tick(static_cast<std::int64_t>(low_.size()) * 4);
}

// Whether a part with one more change is surely no better than the best.
bool Search::is_dearer(const Cost& rest, const Cost& cost) const {
    if (cost.changes == Cost::kNever) return true;
    const double changes = rest.changes + cost.changes;
    if (changes != best_.changes) return changes > best_.changes;
    if (whole_costs_) return true;
    const double rounding = 1e-9 * best_.total;
    return rest.total + cost.total > best_.total + rounding;
}

bool Search::shrink_by_cost() {
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        const Active& active = tables_.active[a];
        const Cost& own = cell_cost(a, local_[place]);
        if (own.changes == Cost::kNever) return false;
        const Cost rest{lower_.changes - own.changes, lower_.total - own.total};
        if (active.is_category) {
            Vector<std::uint64_t> set(static_cast<std::size_t>(active.n_words), 0);
            bool less = false;
            for (std::int32_t c = 0; c < active.n_cells; ++c) {
                if ((set_[first_set_[a] + c / 64] >> (c % 64) & 1) == 0) continue;
                if (is_dearer(rest, cell_cost(a, c))) {
                    less = true;
                } else {
                    set[c / 64] |= std::uint64_t{1} << (c % 64);
                }
            }
            if (!less) continue;
            if (std::ranges::all_of(set, [](std::uint64_t w) { return w == 0; })) return false;
            keep_cells(a, set.data());
            continue;
        }
        if (missing_[a] != 0 && low_[a] <= high_[a] && is_dearer(rest, cell_cost(a, kMissing))) {
            only_present(a);
        }
        std::int32_t low = low_[a], high = high_[a];
        while (low <= high && is_dearer(rest, cell_cost(a, low))) ++low;
        while (low < high && is_dearer(rest, cell_cost(a, high))) --high;
        if (low > high) {
            if (low_[a] > high_[a]) continue;  // it is missing
            if (missing_[a] == 0) return false;
            only_missing(a);
            continue;
        }
        if (low > low_[a]) narrow_low(a, low);
        if (high < high_[a]) narrow_high(a, high);
    }
    return true;
}

// Tries the cheapest row of a part; where it is a rival's, nothing else there is better.
bool Search::take_cheapest() {
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        cells_[tables_.active[place].attribute] = represented(a, cheapest(a));
    }
    return check();
}

// Whether all rows of a part make a change.
bool Search::is_certain(const Change& change) const {
    const std::int32_t a = place_[change.attribute];
    if (a < 0) return is_made(change);  // it has one cell
    const Active& active = tables_.active[a];
    const std::int32_t home = home_[a];
    if (active.is_category) {
        return home < 0 || (set_[first_set_[a] + home / 64] >> (home % 64) & 1) == 0;
    }
    const bool present = low_[a] <= high_[a];
    switch (change.kind) {
        case Change::kAny:
            if (home == kMissing) return missing_[a] == 0;
            return !present || home < low_[a] || home > high_[a];
        case Change::kDown:
            return !present || rep_[active.first_cell + high_[a]] <= change.cell;
        case Change::kUp:
            return !present || rep_[active.first_cell + low_[a]] >= change.cell;
        case Change::kMissing:
            return !present;
    }
    return false;
}

bool Search::is_blocked_part() const {
    for (std::size_t i = 0; i + 1 < nearest_->blocked_start.size(); ++i) {
        const auto from = nearest_->blocked.begin() + nearest_->blocked_start[i];
        const auto to = nearest_->blocked.begin() + nearest_->blocked_start[i + 1];
        if (std::all_of(from, to, [&](const Change& c) { return is_certain(c); })) return true;
    }
    return false;
}

// Whether the row that is tried makes a change.
bool Search::is_made(const Change& change) const {
    const std::int32_t cell = cells_[change.attribute];
    switch (change.kind) {
        case Change::kAny:
            return cell != row_[change.attribute];
        case Change::kDown:
            return cell == kMissing || cell <= change.cell;
        case Change::kUp:
            return cell == kMissing || cell >= change.cell;
        case Change::kMissing:
            return cell == kMissing;
    }
    return false;
}

bool Search::is_blocked_row() const {
    for (std::size_t i = 0; i + 1 < nearest_->blocked_start.size(); ++i) {
        const auto from = nearest_->blocked.begin() + nearest_->blocked_start[i];
        const auto to = nearest_->blocked.begin() + nearest_->blocked_start[i + 1];
        if (std::all_of(from, to, [&](const Change& c) { return is_made(c); })) return true;
    }
    return false;
}

}  // namespace cattleya::ensemble_search
