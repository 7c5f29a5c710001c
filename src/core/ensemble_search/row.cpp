#include "ensemble_search/row.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ensemble_search/climb.hpp"
#include "ensemble_search/shelf.hpp"

namespace cattleya::ensemble_search {
namespace {

constexpr std::int64_t kMostWords = std::int64_t{1} << 22;  // of masks: 32 MiB
constexpr std::size_t kMostKept = std::size_t{1} << 23;     // bytes of what is kept for a row
constexpr std::size_t kMostPutOff = 3;                      // questions: each has tables
// How often a row is looked for from another start, before a search. On adult's forest of 500 full
// trees, searches took up to 11 s for rows that this finds in 20 ms.
constexpr int kKicks = 10;
// How many parts a search looks at before smaller tables are made for what is left.
constexpr std::int64_t kPartsWhole = 8;   // of a box, with the first tables
constexpr std::int64_t kPartsOwn = 3000;  // with tables made for the box

}  // namespace

RowQuestions::RowQuestions(const Forest& forest, std::span<const std::int32_t> cells)
    : forest_(forest), row_(cells.begin(), cells.end()) {
    forest.attributes().check_row(cells);
    outcome_ = forest.decide(cells);
    sure_ = outcome_ != kUnsure;
    if (!sure_) outcome_ = forest.decide_in_order(cells);
    rivals_ = forest.rivals(outcome_);
}

Found RowQuestions::other_outcome(const Box& box, std::int64_t most_parts, Budget& budget) {
    Found found = known(box);
    if (found.answer == Answer::kOpen) found = hunted(box, budget);
    if (found.answer == Answer::kOpen) found = searched(box, most_parts, nullptr, budget);
    return found;
}

// What is known from questions before.
Found RowQuestions::known(const Box& box) {
    const Attributes& attributes = forest_.attributes();
    for (const auto& cells : witness_) {
        if (attributes.contains(box, cells)) return {Answer::kYes, cells, {}};
    }
    for (const Box& proved : proved_) {
        if (attributes.is_within(box, proved)) return {Answer::kNo, {}, {}};
    }
    if (Vector<std::int32_t> cells; adapt_witness(box, cells)) {
        keep_witness(cells);
        return {Answer::kYes, std::move(cells), {}};
    }
    return {};
}

// Looks for a row near those that are known, without proof that there is none.
Found RowQuestions::hunted(const Box& box, Budget& budget) {
    Vector<std::int32_t> cells = row_;
    if (!witness_.empty()) move_into(box, cells = witness_.back());
    if (!forest_.attributes().contains(box, cells)) return {};
    Box fewer = box;
    forest_.leave_out_twins(fewer);
    for (const Margin& margin : rivals_) {
        const Pruned pruned(forest_, margin, fewer, budget);
        Vector<std::int32_t> moved = cells;
        if (Climb(forest_, margin, pruned).leaves_by_kicks(moved, fewer, kKicks, budget)) {
            keep_witness(moved);
            return {Answer::kYes, std::move(moved), {}};
        }
    }
    return {};
}

Found RowQuestions::searched(const Box& box, std::int64_t most_parts, Vector<PutOff>* put_off,
                             Budget& budget) {
    Vector<Agenda> left;
    if (put_off != nullptr) left = resumed(box, *put_off);
    if (left.empty()) {
        Box fewer = box;
        forest_.leave_out_twins(fewer);
        for (const Margin& margin : rivals_) left.push_back(agenda(fewer, margin, false, budget));
    }
    bool all = true;
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
        Found found =
            search(left[i], rivals_[i], nullptr, -1, {Answer::kNo, {}, {}}, most_parts, budget);
        if (found.answer == Answer::kYes) {
            keep_witness(found.cells);
            return found;
        }
        all = all && found.answer == Answer::kNo;
    }
    if (!all) {
        if (put_off != nullptr) {
            if (put_off->size() == kMostPutOff) put_off->erase(put_off->begin());
            put_off->push_back({box, std::move(left)});
        }
        return {};
    }
    const std::size_t bytes = 9 * row_.size() + 8 * box.words.size();
    if (kept_ + bytes <= kMostKept) {
        proved_.push_back(box);
        kept_ += bytes;
    }
    return {Answer::kNo, {}, {}};
}

// What was left of the same question; nothing where it is another one.
Vector<Agenda> RowQuestions::resumed(const Box& box, Vector<PutOff>& put_off) const {
    const Attributes& attributes = forest_.attributes();
    for (auto one = put_off.begin(); one != put_off.end(); ++one) {
        if (!attributes.is_within(box, one->box) || !attributes.is_within(one->box, box)) continue;
        Vector<Agenda> left = std::move(one->left);
        put_off.erase(one);
        return left;
    }
    return {};
}

void RowQuestions::keep_witness(const Vector<std::int32_t>& cells) {
    const std::size_t bytes = 4 * row_.size();
    if (kept_ + bytes > kMostKept) return;
    witness_.push_back(cells);
    kept_ += bytes;
}

// Brings a row into a box: to the nearest cells of numbers, to the row's own of categories. False
// where that does not suffice.
bool RowQuestions::move_into(const Box& box, Vector<std::int32_t>& cells) const {
    const Attributes& attributes = forest_.attributes();
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (attributes.contains(box, a, cells[a])) continue;
        const bool between =
            !attributes.is_category(a) && cells[a] != kMissing && box.low[a] <= box.high[a];
        cells[a] = between ? std::clamp(cells[a], box.low[a], box.high[a]) : row_[a];
        if (!attributes.contains(box, a, cells[a])) return false;
    }
    return true;
}

bool RowQuestions::adapt_witness(const Box& box, Vector<std::int32_t>& cells) const {
    constexpr std::size_t kTried = 8;
    const std::size_t first = witness_.size() > kTried ? witness_.size() - kTried : 0;
    for (std::size_t i = witness_.size(); i > first; --i) {
        cells = witness_[i - 1];
        if (!move_into(box, cells)) return false;
        if (forest_.decide(cells) != outcome_) return true;
    }
    return false;
}

Found RowQuestions::other_outcome_in_time(const Box& box, Budget& budget) {
    try {
        return other_outcome(box, kAllParts, budget);
    } catch (const TimeoutExpired&) {
        return {Answer::kOpen, {}, {}};
    }
}

// Puts both parts of a box on top, that with the row uppermost.
void RowQuestions::halve(const Box& box, const TooLarge& place, Vector<Box>& open) const {
    const Attributes& attributes = forest_.attributes();
    const std::int32_t a = place.attribute;
    Box part = box, other = box;
    if (attributes.is_category(a)) {
        const std::int32_t at = attributes.first_word(a);
        std::int32_t cell = row_[a];
        if (!attributes.contains(box, a, cell)) {
            for (cell = 0; !attributes.contains(box, a, cell);) ++cell;
        }
        std::fill_n(part.words.begin() + at, attributes.n_words(a), 0);
        part.words[at + cell / 64] = std::uint64_t{1} << (cell % 64);
        other.words[at + cell / 64] &= ~part.words[at + cell / 64];
    } else {
        part.high[a] = place.level;
        other.low[a] = place.level + 1;
        other.missing[a] = 0;
        if (attributes.contains(other, a, row_[a])) std::swap(part, other);
    }
    open.push_back(std::move(other));
    open.push_back(std::move(part));
}

// Searches a box, by parts that a search leaves over: each gets tables of its own, made from those
// of the box that it is a part of, and after the first with lists of leaves joined. The part whose
// bound is highest comes first. A box whose tables would be too large is split before.
Found RowQuestions::search(Agenda& agenda, const Margin& margin, const Nearest* costs,
                           std::int32_t toward, Found best, std::int64_t most_parts, Budget& budget,
                           Vector<std::int32_t> beaten) const {
    beaten.push_back(margin.of);
    // Where one more outcome is beaten, and so on; the first is the one that the part's cheapest
    // row has.
    const auto settle = [&](const Box& box, std::int32_t outcome, Cost& cost,
                            Vector<std::int32_t>& cells) {
        const auto is_beaten = [&](std::int32_t o) {
            return o == toward || std::ranges::find(beaten, o) != beaten.end();
        };
        if (outcome == kUnsure || is_beaten(outcome)) outcome = 0;
        while (outcome < forest_.n_outcomes() && is_beaten(outcome)) ++outcome;
        if (outcome == forest_.n_outcomes()) return false;
        Agenda inner;
        inner.add({box, Agenda::kFirst, nullptr, kPartsLeft});
        const Found found = search(inner, forest_.margin(outcome, toward), costs, toward,
                                   {Answer::kNo, {}, cost}, kAllParts, budget, beaten);
        if (!found.cells.empty()) {
            cost = found.cost;
            cells = found.cells;
        }
        if (found.answer == Answer::kOpen) throw TimeoutExpired();
        return true;
    };
    Vector<Left> left;
    for (std::int64_t parts = 0; !agenda.empty();) {
        Part part = agenda.take();
        if (part.tables == nullptr) {
            try {
                part.tables = std::make_shared<const Tables>(
                    make_tables(forest_, margin, part.box, kMostWords, budget));
            } catch (const TooLarge& place) {
                Vector<Box> halves;
                halve(part.box, place, halves);
                for (Box& half : halves) {
                    agenda.add({std::move(half), part.bound, nullptr, kPartsWhole});
                }
                continue;
            }
        }
        Search search(forest_, margin, *part.tables, part.box, row_, toward < 0, costs, settle,
                      budget);
        search.set_best(best.cost);
        left.clear();
        Answer answer;
        try {
            answer =
                search.run(std::min(part.most, most_parts - parts), part.most != kPartsLeft, left);
        } catch (const TimeoutExpired&) {
            if (costs == nullptr) throw;
            if (!search.found().empty()) best = {Answer::kOpen, search.found(), search.cost()};
            best.answer = Answer::kOpen;
            return best;
        }
        parts += search.parts();
        if (!search.found().empty()) {
            best = {Answer::kYes, search.found(), search.cost()};
            if (costs == nullptr) return best;
        }
        if (answer != Answer::kOpen) continue;
        if (part.most == kPartsOwn) {
            for (Left& one : left) {
                agenda.add({std::move(one.box), one.bound, part.tables, kPartsLeft});
            }
        } else if (parts < most_parts) {
            auto own = std::make_shared<const Tables>(
                inner_tables(*part.tables, forest_, margin, part.box, true, budget));
            agenda.add({std::move(part.box), Agenda::kFirst, std::move(own), kPartsOwn});
        } else {
            agenda.add(std::move(part));
        }
        if (parts >= most_parts) {
            best.answer = Answer::kOpen;
            return best;
        }
    }
    return best;
}

Agenda RowQuestions::agenda(const Box& box, const Margin& margin, bool costs,
                            Budget& budget) const {
    auto whole = forest_.shelf().whole(forest_, margin, costs, budget);
    if (whole != nullptr && !forest_.attributes().is_within(box, whole->box)) {
        whole = forest_.shelf().whole(forest_, margin, true, budget);
    }
    Agenda made;
    made.add({box, Agenda::kFirst, std::move(whole), kPartsWhole});
    return made;
}

// The rows between the row and another one: they change no fact that it does not.
Box RowQuestions::around(std::span<const std::int32_t> cells, bool sides) const {
    const Attributes& attributes = forest_.attributes();
    Box box = attributes.at(row_);
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (cells[a] == row_[a]) continue;
        const bool side =
            sides && !attributes.is_category(a) && cells[a] != kMissing && row_[a] != kMissing;
        if (!side) {
            attributes.release(box, a);
        } else {
            (cells[a] < row_[a] ? box.low : box.high)[a] = cells[a];
        }
    }
    return box;
}

Vector<std::int32_t> RowQuestions::nearer(Vector<std::int32_t> cells, bool sides,
                                          std::int64_t most_parts, Budget& budget) {
    const Attributes& attributes = forest_.attributes();
    if (forest_.decide(cells) == outcome_) {
        throw std::invalid_argument("the other row has the same outcome");
    }
    for (const bool by_search : {false, true}) {
        for (std::int32_t a = 0; a < attributes.size(); ++a) {
            if (cells[a] == row_[a]) continue;
            const std::int32_t before = cells[a];
            cells[a] = row_[a];
            if (forest_.decide(cells) != outcome_) continue;
            if (by_search) {
                Found found = other_outcome(around(cells, sides), most_parts, budget);
                if (found.answer == Answer::kYes) {
                    cells = std::move(found.cells);
                    continue;
                }
            }
            cells[a] = before;
        }
    }
    // Of a side, no more levels than must be: by halves, any row that does it will do.
    for (std::int32_t a = 0; sides && a < attributes.size(); ++a) {
        if (attributes.is_category(a) || cells[a] == kMissing || row_[a] == kMissing) continue;
        std::int32_t near = row_[a];
        while (std::abs(cells[a] - near) > 1) {
            const std::int32_t before = cells[a];
            cells[a] = near + (before - near) / 2;
            if (forest_.decide(cells) != outcome_) continue;
            near = cells[a];
            cells[a] = before;
        }
    }
    keep_witness(cells);
    return cells;
}

}  // namespace cattleya::ensemble_search
