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

namespace cattleya::reasons {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int64_t kWorkPerEntry = 50;  // nanoseconds, roughly

std::uint64_t fingerprint(std::int32_t condition) {
    // A multiplicative hash spreads neighbouring numbers over the 64 bits.
    return 1ull << ((static_cast<std::uint64_t>(condition) * 0x9E3779B97F4A7C15ull) >> 58);
}

}  // namespace

CompleteReason::CompleteReason(const tree::Engine& engine)
    : engine_(engine),
      // Each inner node is passed once, and gives at most one; one more is written and not kept.
      entries_(engine.nodes().size() / 2 + 2),
      head_(engine.n_conditions(), kNone),
      marked_entry_(kNone),
      marked_(engine.n_conditions(), 0) {}

std::int64_t CompleteReason::most_bytes(const tree::Engine& engine) {
    const auto nodes = engine.nodes();
    std::int64_t atoms = 0;  // no clause is longer than the path to its leaf
    std::vector<std::int32_t> depth(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].is_leaf()) {
            atoms += depth[i];
        } else {
            depth[i + 1] = depth[nodes[i].right] = depth[i] + 1;
        }
    }
    // What grows has, while it does, up to three times its size.
    const auto each = static_cast<std::int64_t>(sizeof(Occurrence) + sizeof(std::int32_t));
    return 3 * (each * atoms + 16 * static_cast<std::int64_t>(nodes.size() + depth.size()));
}

// Is there a clause that contains `condition` and lies inside the marked set?
bool CompleteReason::covers(std::int32_t condition, std::uint64_t print, Budget& budget) const {
    for (std::int32_t at = head_[condition]; at != kNone; at = occurrence_[at].next) {
        budget.tick(2);
        if ((occurrence_[at].print & ~print) != 0) continue;
        std::int32_t entry = occurrence_[at].clause;
        std::int64_t steps = 0;
        while (entries_[entry].condition != kNone && marked_[entries_[entry].condition]) {
            entry = entries_[entry].parent;
            ++steps;
        }
        budget.tick(steps);
        if (entries_[entry].condition == kNone) return true;
    }
    return false;
}

// Does the set of an entry, with one more condition, contain a clause with that condition?
bool CompleteReason::covered(std::int32_t entry, std::int32_t condition, Budget& budget) {
    if (head_[condition] == kNone) return false;
    mark(entry);
    const std::uint8_t before = std::exchange(marked_[condition], std::uint8_t{1});
    const bool answer = covers(condition, print_ | fingerprint(condition), budget);
    marked_[condition] = before;
    return answer;
}

void CompleteReason::mark(std::int32_t entry) {
    if (entry == marked_entry_) return;
    for (const std::int32_t atom : marked_set_) marked_[atom] = 0;
    marked_set_.clear();
    print_ = 0;
    marked_entry_ = entry;
    for (; entries_[entry].condition != kNone; entry = entries_[entry].parent) {
        const std::int32_t atom = entries_[entry].condition;
        marked_set_.push_back(atom);
        marked_[atom] = 1;
        print_ |= fingerprint(atom);
    }
}

// Adds the set of an entry, which has this many conditions.
void CompleteReason::add(std::int32_t clause, std::size_t size) {
    const std::vector<std::uint8_t>& repeated = engine_.repeated();
    n_atoms_ += size;
    clauses_.push_back(clause);
    std::uint64_t print = 0;
    const std::size_t first = occurrence_.size();
    for (std::int32_t at = clause; entries_[at].condition != kNone; at = entries_[at].parent) {
        const std::int32_t atom = entries_[at].condition;
        print |= fingerprint(atom);
        if (!repeated[atom]) continue;
        occurrence_.push_back({0, clause, head_[atom]});
        head_[atom] = static_cast<std::int32_t>(occurrence_.size() - 1);
    }
    for (std::size_t k = first; k < occurrence_.size(); ++k) occurrence_[k].print = print;
}

// Forgets the row before, also one whose search was not finished.
void CompleteReason::clear() {
    for (const std::int32_t clause : clauses_) {
        for (std::int32_t at = clause; entries_[at].condition != kNone; at = entries_[at].parent) {
            head_[entries_[at].condition] = kNone;
        }
    }
    for (const std::int32_t atom : marked_set_) marked_[atom] = 0;
    marked_set_.clear();
    marked_entry_ = kNone;
    print_ = 0;
    clauses_.clear();
    occurrence_.clear();
    n_atoms_ = 0;
}

// Writes the clauses as arrays of their final size, each in the order of its path.
void CompleteReason::write() {
    found_.start.resize(clauses_.size() + 1);
    found_.atom.resize(n_atoms_);
    std::int64_t end = 0;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
        std::int32_t size = 0;
        for (std::int32_t at = clauses_[i]; entries_[at].condition != kNone;
             at = entries_[at].parent) {
            found_.atom[end + size++] = entries_[at].condition;
        }
        std::reverse(found_.atom.begin() + end, found_.atom.begin() + end + size);
        end += size;
        found_.start[i + 1] = end;
    }
}

template <class IsWanted>
void CompleteReason::search(std::span<const std::uint8_t> truth, IsWanted is_wanted,
                            Budget& budget) {
    const tree::Engine::Node* const nodes = engine_.nodes().data();
    Entry* const entries = entries_.data();
    entries[0] = {0, kNone, kNone};
    std::size_t count = 1;
    std::size_t size = 0;       // of the sets on this level
    std::size_t level_end = 1;  // where the next level starts

    for (std::size_t i = 0; i < count; ++i) {
        budget.tick(kWorkPerEntry);
        if (i == level_end) {
            level_end = count;
            ++size;
        }
        const Entry entry = entries[i];
        // Only clauses with the last condition: one without it would lie inside the parent's set.
        // If smaller, it was known when the parent was looked at; else it would be that set itself,
        // of which there is one, as its changes lead to one leaf.
        if (entry.condition != kNone && covered(entry.parent, entry.condition, budget)) continue;

        // Every turn not taken is written, and counted where it is one: a jump that depends on the
        // row would be guessed wrong half of the time.
        std::size_t turns = count;
        std::int32_t at = entry.node;
        tree::Engine::Node node = nodes[at];
        while (!node.is_leaf()) {
            const std::int32_t sides[2] = {node.right, at + 1};
            const std::size_t holds = truth[node.test] != 0 ? 1 : 0;
            const std::int32_t other = sides[1 - holds];
            at = sides[holds];
            entries[turns] = {other, node.test, static_cast<std::int32_t>(i)};
            const std::int32_t beyond = nodes[other].test;
            turns += static_cast<std::size_t>((beyond >= 0) | is_wanted(beyond));
            node = nodes[at];
        }
        if (is_wanted(node.test)) {
            add(static_cast<std::int32_t>(i), size);
        } else {
            count = turns;
        }
    }
}

Clauses& CompleteReason::operator()(std::span<const std::uint8_t> truth, std::int32_t row_class,
                                    std::int32_t toward, Budget& budget) {
    engine_.check_truth(truth);
    if (toward != tree::kAnyOther && (toward < 0 || toward >= engine_.n_classes())) {
        throw std::invalid_argument("toward is class " + std::to_string(toward) +
                                    ", out of range 0 to " +
                                    std::to_string(engine_.n_classes() - 1));
    }
    clear();
    if (toward == tree::kAnyOther) {
        search(truth, [own = ~row_class](std::int32_t leaf) { return leaf != own; }, budget);
    } else {
        search(truth, [wanted = ~toward](std::int32_t leaf) { return leaf == wanted; }, budget);
    }
    write();
    return found_;
}

Clauses complete_reason(const tree::Engine& engine, std::span<const std::uint8_t> truth,
                        std::int32_t row_class, std::int32_t toward, Budget& budget) {
    CompleteReason search(engine);
    return std::move(search(truth, row_class, toward, budget));
}

}  // namespace cattleya::reasons
