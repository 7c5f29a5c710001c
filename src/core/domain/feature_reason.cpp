// The complete reason over features, by a search over sets of attributes.
//
// As in complete_reason.cpp, subtrees are visited in the order of how many attributes their paths
// contradict. Unlike there, an attribute that is contradicted once is contradicted for good: below,
// both sides of its tests are free. And there are few sets: on a tree of fourteen attributes and
// thousands of nodes, many subtrees are reached by contradicting the same set. So the unit of work
// is the set, a word of 64 bits, with all the subtrees that it reaches:
//
//   - one comparison with the clauses found so far tells whether the set contains a clause, and
//     with which further attributes it would (they are blocked: no way to contradict them is
//     followed);
//   - then its subtrees are searched at no further contradiction. The first leaf of another class
//     makes the set a clause, and ends the work on it: whatever else it reaches is a superset.
//
// Trees that test more attributes than a word has bits go to the search over amounts
// (interval_reason.cpp), each attribute having one atom.
#include <array>
#include <bit>
#include <numeric>

#include "domain/domain_tree.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kBits = 64;
constexpr std::int64_t kWorkPerNode = 5;  // nanoseconds, roughly

// From a set to its number: open addressing, at most half full.
class Numbers {
   public:
    Numbers() : table_(64, kNone) {}

    // The number of the set; a new one is appended to `sets`.
    std::int32_t of(std::uint64_t set, Vector<std::uint64_t>& sets) {
        if (2 * sets.size() >= table_.size()) grow(sets);
        std::int32_t& number = find(set, sets);
        if (number == kNone) {
            number = static_cast<std::int32_t>(sets.size());
            sets.push_back(set);
        }
        return number;
    }

   private:
    std::int32_t& find(std::uint64_t set, const Vector<std::uint64_t>& sets) {
        const std::size_t last = table_.size() - 1;
        std::size_t at = (set * 0x9E3779B97F4A7C15ull >> 32) & last;
        while (table_[at] != kNone && sets[table_[at]] != set) at = (at + 1) & last;
        return table_[at];
    }

    void grow(const Vector<std::uint64_t>& sets) {
        table_.assign(2 * table_.size(), kNone);
        for (std::size_t i = 0; i < sets.size(); ++i) {
            find(sets[i], sets) = static_cast<std::int32_t>(i);
        }
    }

    Vector<std::int32_t> table_;
};

}  // namespace

class MaskSearch {
   public:
    MaskSearch(const DomainTree& tree, const std::vector<std::uint8_t>& goes_left,
               std::int32_t row_class, std::int32_t toward, Budget& budget)
        : tree_(tree),
          goes_left_(goes_left),
          own_leaf_(~row_class),
          wanted_leaf_(toward == tree::kAnyOther ? kAny : ~toward),
          budget_(budget) {}

    Clauses run() {
        add(0, 0);
        for (Vector<std::int32_t>& level : levels_) {
            // Sets of this size are complete: what is found from here on is larger.
            for (const std::int32_t number : level) visit(number);
        }
        Clauses result;
        for (const std::uint64_t clause : clauses_) {
            for (std::uint64_t rest = clause; rest != 0; rest &= rest - 1) {
                result.atom.push_back(tree_.tested_[std::countr_zero(rest)]);
            }
            result.start.push_back(static_cast<std::int64_t>(result.atom.size()));
        }
        return result;
    }

   private:
    static constexpr std::int32_t kAny = 0;  // no leaf: leaves are negative

    struct Entry {
        std::int32_t node;
        std::int32_t next;  // of the same set
    };

    [[nodiscard]] bool is_wanted(std::int32_t leaf) const {
        return wanted_leaf_ == kAny ? leaf != own_leaf_ : leaf == wanted_leaf_;
    }

    std::int32_t add(std::uint64_t set, std::int32_t node) {
        const std::int32_t number = numbers_.of(set, sets_);
        if (static_cast<std::size_t>(number) == first_.size()) {
            first_.push_back(kNone);
            levels_[std::popcount(set)].push_back(number);
        }
        add_entry(number, node);
        return number;
    }

    void add_entry(std::int32_t number, std::int32_t node) {
        entries_.push_back({node, first_[number]});
        first_[number] = static_cast<std::int32_t>(entries_.size() - 1);
    }

    void visit(std::int32_t number) {
        const std::uint64_t set = sets_[number];
        std::uint64_t blocked = 0;
        budget_.tick(static_cast<std::int64_t>(clauses_.size()) + kWorkPerNode);
        for (const std::uint64_t clause : clauses_) {
            const std::uint64_t rest = clause & ~set;
            if (rest == 0) return;
            if ((rest & (rest - 1)) == 0) blocked |= rest;
        }
        std::array<std::int32_t, kBits> with;  // the number of the set with one attribute more
        with.fill(kNone);
        for (std::int32_t at = first_[number]; at != kNone; at = entries_[at].next) {
            if (search(entries_[at].node, set, blocked, with)) {
                clauses_.push_back(set);
                return;
            }
        }
    }

    // Is there a wanted leaf below the node, at no further contradiction? Where there is none, the
    // ways to contradict one attribute more become entries of their own.
    bool search(std::int32_t node, std::uint64_t set, std::uint64_t blocked,
                std::array<std::int32_t, kBits>& with) {
        open_.assign(1, node);
        while (!open_.empty()) {
            std::int32_t at = open_.back();
            open_.pop_back();
            std::int64_t steps = 1;
            for (; !tree_.node_[at].is_leaf(); ++steps) {
                const DomainTree::Node here = tree_.node_[at];
                const std::int32_t place = tree_.place_[here.test];
                const std::uint64_t bit = 1ull << place;
                const bool left = goes_left_[here.test] != 0;
                const std::int32_t other = left ? here.right : at + 1;
                at = left ? at + 1 : here.right;
                if ((set & bit) != 0) {
                    open_.push_back(other);
                } else if ((blocked & bit) == 0) {
                    const DomainTree::Node next = tree_.node_[other];
                    if (next.is_leaf() && !is_wanted(next.test)) continue;
                    if (with[place] == kNone) {
                        with[place] = add(set | bit, other);
                    } else {
                        add_entry(with[place], other);
                    }
                }
            }
            budget_.tick(kWorkPerNode * steps);
            if (is_wanted(tree_.node_[at].test)) return true;
        }
        return false;
    }

    const DomainTree& tree_;
    const std::vector<std::uint8_t>& goes_left_;
    std::int32_t own_leaf_, wanted_leaf_;
    Budget& budget_;
    Numbers numbers_;
    Vector<std::uint64_t> sets_;
    Vector<std::int32_t> first_;  // by set: its entries
    Vector<Entry> entries_;
    std::array<Vector<std::int32_t>, kBits + 1> levels_;  // sets by their size
    Vector<std::uint64_t> clauses_;
    Vector<std::int32_t> open_;
};

Clauses DomainTree::feature_reason(std::span<const std::int32_t> cells, std::int32_t row_class,
                                   std::int32_t toward, Budget& budget) const {
    check(row_class, toward);
    if (tested_.size() <= kBits) {
        const std::vector<std::uint8_t> goes_left = sides(cells);
        return MaskSearch(*this, goes_left, row_class, toward, budget).run();
    }
    Vector<std::int32_t> atom(n_attributes());
    std::iota(atom.begin(), atom.end(), 0);
    return search_amounts(cells, atom, false, row_class, toward, budget);
}

}  // namespace cattleya::domain
