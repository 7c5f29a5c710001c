// The complete reason over intervals: the search of complete_reason.cpp, in amounts.
//
// Let a number of the row be in cell r. Its atoms are the row's sides of the levels: `above s` for
// s < r and `up to s` for s >= r. A path that goes up to level k < r contradicts the atoms `above
// k` to `above r - 1`: a run that ends beside the row's cell; and one that goes above k >= r the
// run `up to r` to `up to k`. So what a path contradicts of a number is an *amount* below the row
// or an amount above it, and going against the row once more makes an amount larger. A category, or
// a number that is missing in the row, has one atom; a missing value contradicts all the atoms of a
// number that is there. Three *tracks* per attribute hold these amounts (below, above, single), and
// a set of atoms is an amount for each track:
//
//   - one set contains another where no track has less;
//   - the size of a set is the sum of its amounts.
//
// Entries come in the order of these sizes, from a queue of buckets; an entry whose set contains a
// clause is cut. For a set P that grew in some tracks, the argument of complete_reason.cpp holds:
// only clauses with one of these tracks, or equal to P, need a look.
//
// A missing value and an interval are not one interval. So where numbers may be missing, the first
// test of a number on a path is where an entry decides that it is missing or that it is there, and
// the notes of the tree tell which sides are left for one that is there.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "domain/amounts.hpp"
#include "domain/domain_tree.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int64_t kWorkPerEntry = 50;  // nanoseconds, roughly
constexpr std::int32_t kTracks = 3;         // per attribute
enum Track : std::int32_t { kBelow = 0, kAbove = 1, kSingle = 2 };

}  // namespace

class AmountSearch {
   public:
    AmountSearch(const DomainTree& tree, std::vector<std::uint8_t> goes_left,
                 std::span<const std::int32_t> cells, bool levels, std::int32_t row_class,
                 std::int32_t toward, Budget& budget)
        : tree_(tree),
          goes_left_(std::move(goes_left)),
          own_leaf_(~row_class),
          wanted_leaf_(toward == tree::kAnyOther ? kAny : ~toward),
          budget_(budget),
          amounts_(kTracks * tree.tested_.size()),
          found_(kTracks * tree.tested_.size(), budget) {
        std::size_t most = 1;
        for (const std::int32_t attribute : tree.tested_) {
            Number number{false, cells[attribute], 0, 0};
            if (levels && !tree.is_category(attribute)) {
                number.has_levels = true;
                if (number.cell != DomainTree::kMissing) {
                    number.below = number.cell;
                    number.above = tree.n_levels_[attribute] - number.cell;
                }
            }
            most += static_cast<std::size_t>(number.below + number.above + 1);
            number_.push_back(number);
        }
        bucket_.assign(most, kNone);
    }

    void run() {
        push(0, kNone, 0, kNone, 0);
        for (std::size_t size = 0; size < bucket_.size(); ++size) {
            while (bucket_[size] != kNone) {
                const std::int32_t at = bucket_[size];
                bucket_[size] = entries_[at].next;
                budget_.tick(kWorkPerEntry);
                if (!is_cut(at)) visit(at, size);
            }
        }
    }

    // The clauses in atoms; those of attribute a start at first_atom[a].
    [[nodiscard]] Clauses take(std::span<const std::int32_t> first_atom) const {
        Clauses result;
        result.start.reserve(found_.size() + 1);
        result.atom.resize(found_.n_atoms());
        Vector<std::pair<std::int32_t, std::int32_t>> runs;  // the first atom, how many
        auto out = result.atom.begin();
        for (std::size_t clause = 0; clause < found_.size(); ++clause) {
            runs.clear();
            for (const auto [track, amount] : found_.parts(clause)) {
                const Number& number = number_[track / kTracks];
                const std::int32_t first = first_atom[tree_.tested_[track / kTracks]];
                const std::int32_t level = first + (tree_.takes_missing_ ? 1 : 0) + number.cell;
                runs.emplace_back(track % kTracks == kSingle  ? first
                                  : track % kTracks == kBelow ? level - amount
                                                              : level,
                                  amount);
            }
            std::sort(runs.begin(), runs.end());
            for (const auto& [from, amount] : runs) {
                std::iota(out, out + amount, from);
                out += amount;
            }
            result.start.push_back(out - result.atom.begin());
        }
        return result;
    }

   private:
    static constexpr std::int32_t kAny = 0;  // no leaf: leaves are negative

    // What the row has of an attribute, and how many levels lie below and above it.
    struct Number {
        bool has_levels;  // else it has a single atom, whatever it is
        std::int32_t cell;
        std::int32_t below, above;
    };

    // A subtree; the track that grew on the way there from the entry `parent`, and what it has now.
    struct Entry {
        std::int32_t node;
        std::int32_t track;
        std::int32_t amount;
        std::int32_t parent;
        std::int32_t size;
        std::int32_t next;  // in the bucket
    };

    [[nodiscard]] bool is_wanted(std::int32_t leaf) const {
        return wanted_leaf_ == kAny ? leaf != own_leaf_ : leaf == wanted_leaf_;
    }

    void push(std::int32_t node, std::int32_t track, std::int32_t amount, std::int32_t parent,
              std::int32_t size) {
        entries_.push_back({node, track, amount, parent, size, bucket_[size]});
        bucket_[size] = static_cast<std::int32_t>(entries_.size() - 1);
    }

    // Goes against the row: to `node`, with this much in the track.
    void turn(std::int32_t node, std::int32_t track, std::int32_t amount) {
        const DomainTree::Node next = tree_.node_[node];
        if (next.is_leaf() && !is_wanted(next.test)) return;
        std::int32_t more = amount - amounts_.of(track);
        if (track % kTracks == kSingle) {  // contradicts all that there is of the attribute
            const Number& number = number_[track / kTracks];
            more += number.below - amounts_.of(track - kSingle + kBelow);
            more += number.above - amounts_.of(track - kSingle + kAbove);
        }
        push(node, track, amount, current_, entries_[current_].size + more);
    }

    void raise(const Entry& entry) {
        amounts_.raise(entry.track, entry.amount);
        if (entry.track % kTracks != kSingle) return;
        const Number& number = number_[entry.track / kTracks];
        amounts_.raise(entry.track - kSingle + kBelow, number.below);
        amounts_.raise(entry.track - kSingle + kAbove, number.above);
    }

    // Is there a clause inside the set at hand that has one of the tracks in which the entry grew?
    [[nodiscard]] bool covered(const Entry& entry) const {
        if (found_.covers(entry.track, amounts_)) return true;
        if (entry.track % kTracks != kSingle) return false;
        return found_.covers(entry.track - kSingle + kBelow, amounts_) ||
               found_.covers(entry.track - kSingle + kAbove, amounts_);
    }

    // Makes the entry's set the one at hand. Entries with one parent often follow each other, or
    // their parent, so its set is kept.
    bool is_cut(std::int32_t at) {
        const Entry entry = entries_[at];
        const std::int32_t before = std::exchange(current_, at);
        if (entry.parent == kNone) return false;
        if (entry.parent == parent_) {
            amounts_.undo(parent_mark_);
        } else {
            parent_ = entry.parent;
            if (parent_ != before) collect(parent_);
            parent_mark_ = amounts_.mark();
            parent_cut_ = entries_[parent_].parent != kNone && covered(entries_[parent_]);
        }
        if (parent_cut_) return true;
        raise(entry);
        return covered(entry);
    }

    void collect(std::int32_t at) {
        amounts_.undo({0, 0});
        std::int64_t steps = 0;
        for (; entries_[at].parent != kNone; at = entries_[at].parent) {
            raise(entries_[at]);
            ++steps;
        }
        budget_.tick(2 * steps);
    }

    // Searches what the entry reaches at no further contradiction.
    void visit(std::int32_t at, std::size_t size) {
        const std::size_t turns = entries_.size();
        open_.assign(1, entries_[at].node);
        while (!open_.empty()) {
            std::int32_t node = open_.back();
            open_.pop_back();
            while (!tree_.node_[node].is_leaf()) {
                node = step(node);
                budget_.tick(4);
            }
            if (!is_wanted(tree_.node_[node].test)) continue;
            while (entries_.size() > turns) {
                bucket_[entries_.back().size] = entries_.back().next;
                entries_.pop_back();
            }
            add_clause(size);
            return;
        }
    }

    // The next node on the way of the row, or of what it was changed to; other ways are noted.
    std::int32_t step(std::int32_t at) {
        const DomainTree::Node node = tree_.node_[at];
        const std::int32_t place = tree_.place_[node.test];
        const Number& number = number_[place];
        const std::int32_t track = place * kTracks;
        const bool left = goes_left_[node.test] != 0;
        const std::int32_t own = left ? at + 1 : node.right;
        const std::int32_t other = left ? node.right : at + 1;
        const bool changed = amounts_.of(track + kSingle) != 0;
        if (!number.has_levels) {
            if (changed) {
                open_.push_back(other);
            } else {
                turn(other, track + kSingle, 1);
            }
            return own;
        }

        const bool missing = number.cell == DomainTree::kMissing;
        if (tree_.takes_missing_) {
            const std::uint8_t note = tree_.note_[at];
            if (!changed && (note & DomainTree::kFirst) != 0) turn(at, track + kSingle, 1);
            if (missing != changed) return tree_.missing_left_[node.test] ? at + 1 : node.right;
            if ((note & DomainTree::kPresentLeft) == 0) return node.right;
            if ((note & DomainTree::kPresentRight) == 0) return at + 1;
        }
        if (missing) {  // in the row, but changed to a number: any will do
            open_.push_back(other);
            return own;
        }
        // A number that was moved to one side of the row's cell stays on it, at no cost.
        const std::int32_t level = tree_.level_[node.test];
        if (level < number.cell && amounts_.of(track + kAbove) == 0) {
            turn(at + 1, track + kBelow, number.cell - level);
            return node.right;
        }
        if (level >= number.cell && amounts_.of(track + kBelow) == 0) {
            turn(node.right, track + kAbove, level + 1 - number.cell);
            return at + 1;
        }
        // Not reached: a number below the row's cell is only asked about levels below it.
        return own;
    }

    void add_clause(std::size_t size) {
        parts_.clear();
        amounts_.each_track(
            [&](std::int32_t track, std::int32_t amount) { parts_.push_back({track, amount}); });
        found_.add(parts_, size);
    }

    const DomainTree& tree_;
    std::vector<std::uint8_t> goes_left_;
    std::int32_t own_leaf_, wanted_leaf_;
    Budget& budget_;
    Vector<Number> number_;  // by place in tree_.tested_
    Amounts amounts_;
    AmountClauses found_;
    Vector<Entry> entries_;
    Vector<std::int32_t> bucket_;   // by size: the last entry
    std::int32_t current_ = kNone;  // the entry at hand
    std::int32_t parent_ = kNone;   // whose set is kept
    Amounts::Mark parent_mark_{0, 0};
    bool parent_cut_ = false;
    Vector<std::int32_t> open_;
    Vector<AmountClauses::Part> parts_;
};

Clauses DomainTree::interval_reason(std::span<const std::int32_t> cells,
                                    std::span<const std::int32_t> first_atom,
                                    std::int32_t row_class, std::int32_t toward,
                                    Budget& budget) const {
    return search_amounts(cells, first_atom, true, row_class, toward, budget);
}

Clauses DomainTree::search_amounts(std::span<const std::int32_t> cells,
                                   std::span<const std::int32_t> first_atom, bool levels,
                                   std::int32_t row_class, std::int32_t toward,
                                   Budget& budget) const {
    check(row_class, toward);
    if (first_atom.size() != n_attributes()) {
        throw std::invalid_argument("first_atom must have one entry per attribute");
    }
    AmountSearch search(*this, sides(cells), cells, levels, row_class, toward, budget);
    search.run();
    return search.take(first_atom);
}

}  // namespace cattleya::domain
