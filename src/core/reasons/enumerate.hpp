// All minimal hitting sets, one after the other: the algorithm MMCS of Murakami and Uno ("Efficient
// algorithms for dualizing large-scale hypergraphs", 2014), as an iterator.
//
// A set is built atom by atom. At each step the uncovered clause with the fewest candidates is
// chosen, and one of its candidates is added; the candidates tried before it in this clause are
// given back to it, those after it are not, so that each set is met once. A branch is cut as soon
// as a member has no clause left that it alone hits: it never gets one back. So every leaf of the
// search that covers all clauses is a minimal hitting set.
//
// Most candidates are cut so, or complete a set because one clause was left. Neither needs them
// added: it is only looked up whose last own clause they would take.
//
// The state is kept up to date step by step and undone on the way back: nothing is copied, nothing
// recurses, and memory does not grow with the number of sets given.
#pragma once

#include <cstdint>

#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "support/vector.hpp"

namespace cattleya::reasons {

class HittingSets {
   public:
    // Throws std::invalid_argument where the clauses are none.
    HittingSets(const ClauseView& clauses, std::int32_t n_atoms);

    // Appends at most `limit` further sets to (start, atom); false when there are no more. The
    // order is that of the search, the same for the same clauses. After an exception from the
    // budget the enumeration can go on where it was.
    bool next(std::int64_t limit, Vector<std::int64_t>& start, Vector<std::int32_t>& atom,
              Budget& budget);

   private:
    // One clause being branched on: its candidates are tried_[first .. last).
    struct Frame {
        std::int32_t first;
        std::int32_t last;
        std::int32_t at;
        bool is_last;  // no other clause is uncovered: whatever is added completes a set
    };

    void open_frame();
    void close_frame();
    void add(std::int32_t atom);
    void remove(std::int32_t atom);
    bool spares(std::int32_t atom);
    void set_candidate(std::int32_t atom, bool is_candidate);

    // The clauses, and the clauses of each atom.
    Vector<std::int64_t> start_, on_start_;
    Vector<std::int32_t> atom_, on_;

    // By clause: how many members hit it, the exclusive-or of those (the member itself where there
    // is one), how many candidates it has, and its place among the uncovered ones.
    Vector<std::int32_t> hits_, hitters_, candidates_, place_;
    Vector<std::int32_t> uncovered_;
    // By atom: may it be added, and how many clauses does it alone hit?
    Vector<std::uint8_t> is_candidate_;
    Vector<std::int32_t> own_;

    Vector<std::int32_t> members_;
    Vector<std::int32_t> tried_;
    Vector<Frame> frames_;
    bool started_ = false;
    bool done_ = false;
};

}  // namespace cattleya::reasons
