#include "ensemble_search/search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cattleya::ensemble_search {

Search::Search(const Forest& forest, const Margin& margin, const Tables& tables, const Box& box,
               std::span<const std::int32_t> row, bool any_other, const Nearest* nearest,
               Settle settle, Budget& budget)
    : forest_(forest),
      margin_(margin),
      tables_(tables),
      box_(box),
      row_(row.begin(), row.end()),
      any_other_(any_other),
      nearest_(nearest),
      settle_(std::move(settle)),
      budget_(budget),
      climb_(forest, margin) {
    const Attributes& attributes = forest.attributes();
    place_.assign(row.size(), -1);
    for (const Active& active : tables.active) {
        place_[active.attribute] = static_cast<std::int32_t>(low_.size());
        low_.push_back(0);
        high_.push_back(active.is_category ? 0 : active.n_cells - 1);
        missing_.push_back(active.may_be_missing ? 1 : 0);
        first_set_.push_back(static_cast<std::int32_t>(set_.size()));
        const auto from = tables.box.words.begin() + attributes.first_word(active.attribute);
        set_.insert(set_.end(), from, from + active.n_words);
        home_.push_back(kOutside);
        if (attributes.contains(box, active.attribute, row[active.attribute])) {
            const std::int32_t own = row[active.attribute];
            home_.back() = active.is_category || own == kMissing ? own : tables.place(active, own);
        }
    }
    reach_.assign(static_cast<std::size_t>(tables.n_words), ~std::uint64_t{0});
    bound_ = tables.constant;
    for (const Table& t : tables.table) {
        if (t.n_leaves % 64 != 0) {
            reach_[t.words + t.n_words - 1] = (std::uint64_t{1} << t.n_leaves % 64) - 1;
        }
        best_leaf_.push_back(best_at(t.first_leaf));
        top_.push_back(tables.weight[t.first_leaf]);
        bound_ += top_.back();
    }
    // Where the box does not have the row's cell of an attribute that no leaf asks about, any does.
    cells_ = row_;
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (place_[a] >= 0 || attributes.contains(box_, a, cells_[a])) continue;
        cells_[a] = 0;
        if (attributes.is_category(a)) {
            while (!attributes.contains(box_, a, cells_[a])) ++cells_[a];
        } else {
            cells_[a] = box_.low[a] <= box_.high[a] ? box_.low[a] : kMissing;
        }
    }
    enter_box();
    if (nearest_ != nullptr) prepare_costs();
}

// Narrows the tables to the box.
void Search::enter_box() {
    const Box& outer = tables_.box;
    for (std::size_t i = 0; i < low_.size(); ++i) {
        const auto place = static_cast<std::int32_t>(i);
        const Active& active = tables_.active[i];
        const std::int32_t a = active.attribute;
        if (active.is_category) {
            const std::int32_t at = forest_.attributes().first_word(a);
            if (!std::equal(box_.words.begin() + at, box_.words.begin() + at + active.n_words,
                            outer.words.begin() + at)) {
                keep_cells(place, box_.words.data() + at);
            }
            continue;
        }
        if (box_.low[a] > box_.high[a]) {
            if (outer.low[a] <= outer.high[a]) only_missing(place);
            continue;
        }
        if (box_.missing[a] == 0 && missing_[i] != 0) only_present(place);
        const std::int32_t high = tables_.place(active, box_.high[a]);
        const std::int32_t low = tables_.place(active, box_.low[a]);
        if (high < high_[i]) narrow_high(place, high);
        if (low > low_[i]) narrow_low(place, low);
    }
    trail_.clear();
}

std::int32_t Search::represented(std::int32_t a, std::int32_t cell) const {
    if (cell == kMissing) return kMissing;
    const Active& active = tables_.active[a];
    if (active.is_category) return cell;
    if (nearest_ != nullptr) return rep_[active.first_cell + cell];
    const std::int32_t own = row_[active.attribute], first = first_in(a, cell);
    return own == kMissing ? first : std::clamp(own, first, last_in(a, cell));
}

std::int64_t Search::last_weight(const Table& t) const {
    for (std::int32_t w = t.n_words - 1; w >= 0; --w) {
        if (const std::uint64_t left = reach_[t.words + w]; left != 0) {
            return tables_.weight[t.first_leaf + w * 64 + 63 - std::countl_zero(left)];
        }
    }
    return kNoLeaf;
}

bool Search::is_open(std::int32_t a) const {
    const Active& active = tables_.active[a];
    if (!active.is_category) return high_[a] - low_[a] + 1 + missing_[a] > 1;
    int cells = 0;
    for (std::int32_t w = 0; w < active.n_words; ++w)
        cells += std::popcount(set_[first_set_[a] + w]);
    return cells > 1;
}

// The leaves that are in one mask, or in the other where there is one.
void Search::keep(const Entry& entry, const std::uint64_t* mask, const std::uint64_t* also) {
    const Table& t = tables_.table[entry.table];
    std::uint64_t* const reach = reach_.data() + t.words;
    bool changed = false;
    for (std::int32_t w = 0; w < t.n_words; ++w) {
        const std::uint64_t left = reach[w] & (also == nullptr ? mask[w] : mask[w] | also[w]);
        if (left == reach[w]) continue;
        trail_.push_back({Undo::kReach, t.words + w, reach[w]});
        reach[w] = left;
        changed = true;
    }
    if (!changed) return;
    const std::int64_t before = best_leaf_[entry.table].leaf, leaf = first_leaf(t, reach, reach);
    if (leaf == before) return;
    trail_.push_back({Undo::kBest, entry.table, static_cast<std::uint64_t>(before)});
    set_best_leaf(entry.table, leaf);
}

void Search::set_best_leaf(std::int32_t table, std::int64_t leaf) {
    const std::int64_t top = leaf < 0 ? kNoLeaf : tables_.weight[leaf];
    best_leaf_[table] = leaf < 0 ? Best{leaf, 0, 0} : best_at(leaf);
    bound_ += top - top_[table];
    top_[table] = top;
}

void Search::narrow_high(std::int32_t a, std::int32_t high) {
    trail_.push_back({Undo::kHigh, a, static_cast<std::uint64_t>(high_[a])});
    high_[a] = high;
    const Active& active = tables_.active[a];
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        const std::int32_t* const cut = tables_.cut.data() + entry.cuts;
        const std::int32_t i = first_from(cut, entry.n_cuts, high);
        if (i == entry.n_cuts) continue;
        const std::int64_t words = tables_.table[entry.table].n_words;
        const std::uint64_t* const mask = tables_.mask.data();
        keep(entry, mask + entry.up_to + i * words,
             missing_[a] != 0 ? mask + entry.missing : nullptr);
    }
}

void Search::narrow_low(std::int32_t a, std::int32_t low) {
    trail_.push_back({Undo::kLow, a, static_cast<std::uint64_t>(low_[a])});
    low_[a] = low;
    const Active& active = tables_.active[a];
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        const std::int32_t* const cut = tables_.cut.data() + entry.cuts;
        const std::int32_t i = first_from(cut, entry.n_cuts, low);
        if (i == 0) continue;
        const std::int64_t words = tables_.table[entry.table].n_words;
        const std::uint64_t* const mask = tables_.mask.data();
        keep(entry, mask + entry.above + (i - 1) * words,
             missing_[a] != 0 ? mask + entry.missing : nullptr);
    }
}

void Search::only_present(std::int32_t a) {
    trail_.push_back({Undo::kMissing, a, missing_[a]});
    missing_[a] = 0;
    const Active& active = tables_.active[a];
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        const std::int64_t words = tables_.table[entry.table].n_words;
        keep(entry, tables_.mask.data() + entry.missing + words, nullptr);
    }
    narrow_high(a, high_[a]);  // what was left for the sake of missing ones goes
    narrow_low(a, low_[a]);
}

void Search::only_missing(std::int32_t a) {
    trail_.push_back({Undo::kLow, a, static_cast<std::uint64_t>(low_[a])});
    trail_.push_back({Undo::kHigh, a, static_cast<std::uint64_t>(high_[a])});
    low_[a] = 0;
    high_[a] = -1;
    const Active& active = tables_.active[a];
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        keep(entry, tables_.mask.data() + entry.missing, nullptr);
    }
}

void Search::keep_cells(std::int32_t a, const std::uint64_t* set) {
    const Active& active = tables_.active[a];
    for (std::int32_t w = 0; w < active.n_words; ++w) {
        std::uint64_t& own = set_[first_set_[a] + w];
        trail_.push_back({Undo::kSet, first_set_[a] + w, own});
        own &= set[w];
    }
    for (std::int32_t e = 0; e < active.n_entries; ++e) {
        const Entry& entry = tables_.entry[active.first_entry + e];
        const std::int32_t words = tables_.table[entry.table].n_words;
        scratch_.assign(static_cast<std::size_t>(words), 0);
        for (std::int32_t c = 0; c < active.n_cells; ++c) {
            if ((set_[first_set_[a] + c / 64] >> (c % 64) & 1) == 0) continue;
            const std::uint64_t* const mask =
                tables_.mask.data() + entry.up_to + std::int64_t{c} * words;
            for (std::int32_t w = 0; w < words; ++w) scratch_[w] |= mask[w];
        }
        keep(entry, scratch_.data(), nullptr);
    }
}

void Search::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const Undo u = trail_.back();
        trail_.pop_back();
        switch (u.kind) {
            case Undo::kLow:
                low_[u.at] = static_cast<std::int32_t>(u.before);
                break;
            case Undo::kHigh:
                high_[u.at] = static_cast<std::int32_t>(u.before);
                break;
            case Undo::kMissing:
                missing_[u.at] = static_cast<std::uint8_t>(u.before);
                break;
            case Undo::kSet:
                set_[u.at] = u.before;
                break;
            case Undo::kReach:
                reach_[u.at] = u.before;
                break;
            case Undo::kBest:
                set_best_leaf(u.at, static_cast<std::int64_t>(u.before));
                break;
        }
    }
}

void Search::apply(const Split& split, bool first) {
    const std::int32_t a = split.active;
    if (tables_.active[a].is_category) {
        if (first) {
            keep_cells(a, split.set.data());
        } else {
            Vector<std::uint64_t> others(split.set.size());
            for (std::size_t w = 0; w < others.size(); ++w) others[w] = ~split.set[w];
            keep_cells(a, others.data());
        }
    } else if (split.cut == kMissing) {
        if (first) {
            only_missing(a);
        } else {
            only_present(a);
        }
    } else if (first) {
        if (missing_[a] != 0) only_present(a);
        narrow_high(a, split.cut);
    } else {
        narrow_low(a, split.cut + 1);
    }
}

Box Search::part() const {
    Box box = box_;
    for (std::size_t place = 0; place < low_.size(); ++place) {
        const auto a = static_cast<std::int32_t>(place);
        const Active& active = tables_.active[place];
        const std::int32_t own = active.attribute;
        if (active.is_category) {
            std::copy_n(set_.begin() + first_set_[a], active.n_words,
                        box.words.begin() + forest_.attributes().first_word(own));
            continue;
        }
        const bool present = low_[a] <= high_[a];
        box.low[own] = present ? first_in(a, low_[a]) : 0;
        box.high[own] = present ? last_in(a, high_[a]) : -1;
        box.missing[own] = missing_[a];
    }
    return box;
}

// Goes back through the frames; the uppermost was not looked at, of the others perhaps one side.
void Search::leave(const Vector<Frame>& frames, Vector<Left>& left) {
    left.push_back({part(), bound_});
    for (std::size_t i = frames.size() - 1; i-- > 0;) {
        const Frame& frame = frames[i];
        if (frame.stage == 2) continue;
        undo(frame.mark_after);
        apply(frame.split, !frame.split.first_side);
        if (bound_ >= margin_.need) left.push_back({part(), bound_});
    }
    std::ranges::reverse(left);
}

Answer Search::run(std::int64_t most_parts, bool rows_first, Vector<Left>& left) {
    const std::int64_t need = margin_.need;
    if (bound_ < need) return Answer::kNo;
    if (rows_first && try_rows() && nearest_ == nullptr) return Answer::kYes;
    Vector<Frame> frames;
    frames.push_back({trail_.size()});
    while (!frames.empty()) {
        Frame& frame = frames.back();
        if (frame.stage == 0) {
            if (parts_ == most_parts) {
                leave(frames, left);
                return Answer::kOpen;
            }
            ++parts_;
            const bool is_left = shrink(frame.split);
            if (is_left && frame.split.active < 0 && (take_cheapest() || settle()) &&
                nearest_ == nullptr) {
                return Answer::kYes;  // a single row
            }
            if (is_left && nearest_ == nullptr && parts_ % 8 == 1 && parts_ > 1) {
                if (meet_best() && check()) return Answer::kYes;
            }
            if (is_left && nearest_ != nullptr && parts_ % 32 == 2) try_rows();
            if (!is_left || frame.split.active < 0) {
                undo(frame.mark);
                frames.pop_back();
                continue;
            }
            frame.mark_after = trail_.size();
        } else {
            undo(frame.mark_after);
        }
        if (frame.stage == 2) {
            undo(frame.mark);
            frames.pop_back();
            continue;
        }
        apply(frame.split, (frame.stage++ == 0) == frame.split.first_side);
        if (bound_ >= need) frames.push_back({trail_.size()});
    }
    if (nearest_ == nullptr) return Answer::kNo;
    return found_.empty() ? Answer::kNo : Answer::kYes;
}

}  // namespace cattleya::ensemble_search
