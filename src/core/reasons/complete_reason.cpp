// The complete reason of a row, by ordered and pruned search.
//
// Every leaf of another class gives a clause: the conditions of the row that its path contradicts.
// Wanted are the clauses that contain no other clause. Listing all leaves and comparing them in
// pairs is quadratic in the tree; instead, subtrees are visited in the order of how many conditions
// they contradict. An entry of the queue is a subtree reached by contradicting a set of
// conditions; following the row inside it leads to one leaf, at no further contradiction:
//
//   - a leaf of another class: the set is a clause, and every other leaf below the entry
//     contradicts a superset of it, so the entry is done;
//   - a leaf of the row's class: every turn not taken on the way is an entry with one more
//     contradiction.
//
// Smaller sets come first, so a clause that contains no clause found before it is minimal, and an
// entry whose set contains a clause can be cut with all that is below it.
//
// The test for "contains a clause". Let the set be P + v, where P is the set of the entry it came
// from. P was tested when its turn came, against all smaller clauses. A clause inside P + v
// therefore contains v, or is equal to P and was found after P's turn (another path with the same
// conditions). So only the clauses on v need a look, and, once for all the turns that come from
// one entry, those on the last condition of P. Conditions deep in the tree are rare, so these
// lists are short; a 64-bit fingerprint rejects most of what is in them.
//
// And often there is nothing to look at: where v is tested at one node of the tree only, every
// clause with v comes from below that node's other side, and contains all of P + v. So conditions
// that are tested once are neither looked up nor indexed. Where every node has a condition of its
// own, the search is then linear in what it reads and writes.
//
// Tried and dropped: evaluating conditions on the way rather than at once (the truth vector stays
// in the first-level cache); an index by the deepest condition of each clause alone, which makes
// it necessary to look at the lists of all conditions of a set.
#include "reasons/complete_reason.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/vector.hpp"

namespace cattleya::reasons {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int64_t kWorkPerEntry = 50;  // nanoseconds, roughly

std::uint64_t fingerprint(std::int32_t condition) {
    // A multiplicative hash spreads neighbouring numbers over the 64 bits.
    return 1ull << ((static_cast<std::uint64_t>(condition) * 0x9E3779B97F4A7C15ull) >> 58);
}

// A subtree, and the condition whose contradiction leads there from the entry `parent`.
struct Entry {
    std::int32_t node;
    std::int32_t condition;
    std::int32_t parent;
};

// All entries, level after level. An entry also stands for the set of conditions contradicted on
// the way to it: its own, its parent's, and so on. Clauses are entries too, until the very end.
using Queue = Vector<Entry>;

// The clauses found so far, indexed by those of their conditions that are tested repeatedly.
class Antichain {
   public:
    Antichain(const Queue& entries, const std::vector<std::uint8_t>& repeated, Budget& budget)
        : entries_(entries), repeated_(repeated), budget_(budget), head_(repeated.size(), kNone) {}

    [[nodiscard]] bool has_clauses_on(std::int32_t condition) const {
        return head_[condition] != kNone;
    }

    // Is there a clause that contains `condition` and lies inside the marked set?
    [[nodiscard]] bool covers(std::int32_t condition, std::uint64_t print,
                              const Vector<std::uint8_t>& marked) const {
        for (std::int32_t at = head_[condition]; at != kNone; at = occurrence_[at].next) {
            budget_.tick(2);
            if ((occurrence_[at].print & ~print) != 0) continue;
            std::int32_t entry = occurrence_[at].clause;
            std::int64_t steps = 0;
            while (entries_[entry].condition != kNone && marked[entries_[entry].condition]) {
                entry = entries_[entry].parent;
                ++steps;
            }
            budget_.tick(steps);
            if (entries_[entry].condition == kNone) return true;
        }
        return false;
    }

    // Adds the set of an entry, which has this many conditions.
    void add(std::int32_t clause, std::size_t size) {
        n_atoms_ += size;
        clauses_.push_back(clause);
        std::uint64_t print = 0;
        const std::size_t first = occurrence_.size();
        for (std::int32_t at = clause; entries_[at].condition != kNone; at = entries_[at].parent) {
            const std::int32_t atom = entries_[at].condition;
            print |= fingerprint(atom);
            if (!repeated_[atom]) continue;
            occurrence_.push_back({0, clause, head_[atom]});
            head_[atom] = static_cast<std::int32_t>(occurrence_.size() - 1);
        }
        for (std::size_t k = first; k < occurrence_.size(); ++k) occurrence_[k].print = print;
    }

    // The clauses as arrays of their final size, each in the order of its path.
    [[nodiscard]] Clauses take() const {
        Clauses result;
        result.start.reserve(clauses_.size() + 1);
        result.atom.reserve(n_atoms_);
        for (const std::int32_t clause : clauses_) {
            for (std::int32_t at = clause; entries_[at].condition != kNone;
                 at = entries_[at].parent) {
                result.atom.push_back(entries_[at].condition);
            }
            std::reverse(result.atom.begin() + result.start.back(), result.atom.end());
            result.start.push_back(static_cast<std::int64_t>(result.atom.size()));
        }
        return result;
    }

   private:
    struct Occurrence {
        std::uint64_t print;
        std::int32_t clause;
        std::int32_t next;
    };

    const Queue& entries_;
    const std::vector<std::uint8_t>& repeated_;
    Budget& budget_;
    Vector<std::int32_t> clauses_;
    std::size_t n_atoms_ = 0;
    Vector<std::int32_t> head_;
    Vector<Occurrence> occurrence_;
};

// The set of an entry as marks, for the comparison with clauses. Entries with one parent stand
// together in the queue, so the parent's marks are kept from one to the next; and they are made
// only where there is something to compare with.
class Marks {
   public:
    Marks(const Queue& entries, std::size_t n_conditions)
        : entries_(entries), marked_(n_conditions, 0) {}

    // Does the set of an entry, with one more condition, contain a clause with that condition?
    bool covered(const Antichain& found, std::int32_t entry, std::int32_t condition) {
        if (!found.has_clauses_on(condition)) return false;
        mark(entry);
        const std::uint8_t before = std::exchange(marked_[condition], std::uint8_t{1});
        const bool answer = found.covers(condition, print_ | fingerprint(condition), marked_);
        marked_[condition] = before;
        return answer;
    }

   private:
    void mark(std::int32_t entry) {
        if (entry == entry_) return;
        for (const std::int32_t atom : set_) marked_[atom] = 0;
        set_.clear();
        print_ = 0;
        entry_ = entry;
        for (; entries_[entry].condition != kNone; entry = entries_[entry].parent) {
            const std::int32_t atom = entries_[entry].condition;
            set_.push_back(atom);
            marked_[atom] = 1;
            print_ |= fingerprint(atom);
        }
    }

    const Queue& entries_;
    std::int32_t entry_ = kNone;
    Vector<std::int32_t> set_;
    Vector<std::uint8_t> marked_;
    std::uint64_t print_ = 0;
};

}  // namespace

Clauses complete_reason(const tree::Engine& engine, std::span<const std::uint8_t> truth,
                        std::int32_t row_class, std::int32_t toward, Budget& budget) {
    engine.check_truth(truth);
    if (toward != tree::kAnyOther && (toward < 0 || toward >= engine.n_classes())) {
        throw std::invalid_argument("toward is class " + std::to_string(toward) +
                                    ", out of range 0 to " +
                                    std::to_string(engine.n_classes() - 1));
    }
    const std::span<const tree::Engine::Node> nodes = engine.nodes();
    const std::int32_t own_leaf = ~row_class;
    const auto is_wanted = [&](std::int32_t leaf) {
        return toward == tree::kAnyOther ? leaf != own_leaf : leaf == ~toward;
    };

    Queue entries;
    entries.reserve(nodes.size() / 2 + 1);  // each inner node is passed once, and gives at most one
    entries.push_back({0, kNone, kNone});
    Antichain found(entries, engine.repeated(), budget);
    Marks marks(entries, engine.n_conditions());
    std::size_t size = 0;       // of the sets on this level
    std::size_t level_end = 1;  // where the next level starts

    for (std::size_t i = 0; i < entries.size(); ++i) {
        budget.tick(kWorkPerEntry);
        if (i == level_end) {
            level_end = entries.size();
            ++size;
        }
        const Entry entry = entries[i];
        // Only clauses with the last condition: one without it would lie inside the parent's set.
        // If smaller, it was known when the parent was looked at; else it would be that set itself,
        // of which there is one, as its changes lead to one leaf.
        if (entry.condition != kNone && marks.covered(found, entry.parent, entry.condition)) {
            continue;
        }

        const std::size_t turns = entries.size();
        std::int32_t at = entry.node;
        while (!nodes[at].is_leaf()) {
            const tree::Engine::Node node = nodes[at];
            const bool holds = truth[node.test] != 0;
            const std::int32_t other = holds ? node.right : at + 1;
            at = holds ? at + 1 : node.right;
            if (!nodes[other].is_leaf() || is_wanted(nodes[other].test)) {
                entries.push_back({other, node.test, static_cast<std::int32_t>(i)});
            }
        }
        if (is_wanted(nodes[at].test)) {
            entries.resize(turns);
            found.add(static_cast<std::int32_t>(i), size);
        }
    }
    return found.take();
}

}  // namespace cattleya::reasons
