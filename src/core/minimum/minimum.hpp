// Minimum hitting sets of a list of clauses: one of least weight, how many of least size, and all
// of these, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "minimum/family.hpp"
#include "minimum/tighten.hpp"
#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "support/natural.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

// A hitting set of least total weight, its atoms rising. The weights are positive, two limbs an
// atom, the low one first; where there are none, all are 1.
Vector<std::int32_t> minimum_hitting_set(const ClauseView& clauses, std::int32_t n_atoms,
                                         std::span<const std::uint64_t> weights, Budget& budget);

struct MinimumCount {
    std::int64_t size;  // of each
    Natural count;
};

// How many hitting sets of the least size there are, without listing them.
MinimumCount count_minimum_hitting_sets(const ClauseView& clauses, std::int32_t n_atoms,
                                        Budget& budget);

// All hitting sets of the least size. An atom of the smallest clause is taken (the first of these
// clauses, its atoms in their order), without those tried before it; then what is left is tightened
// (tighten.hpp), which tells at once whether it leads to a minimum set, and falls into parts, which
// are gone through one after the other. So every branch entered gives a set, and each is met once.
// Nothing recurses, and memory does not grow with the number of sets given.
class MinimumHittingSets {
   public:
    // Throws std::invalid_argument where the clauses are none, or where one is empty.
    MinimumHittingSets(const ClauseView& clauses, std::int32_t n_atoms);

    // Appends at most `limit` further sets, the atoms of each rising; false when there are no more.
    // The order is that of the search, the same for the same clauses. Where time runs out after
    // some were found, there are fewer; where none was, TimeoutExpired is thrown. After that the
    // enumeration can go on where it was.
    bool next(std::int64_t limit, Vector<std::int64_t>& start, Vector<std::int32_t>& atom,
              Budget& budget);

   private:
    static constexpr std::int32_t kNone = -1;

    // A part to be hit, and the number of the one that comes after it, or kNone.
    struct QueuedPart {
        Part part;
        std::int32_t next;
    };
    // One part being hit: atoms of one of its clauses are tried.
    struct Frame {
        std::int32_t part;
        std::size_t members;  // how many were taken above
        std::size_t parts;    // how many were known when this was opened
        Vector<std::int32_t> candidates = {};
        std::size_t at = 0;
    };

    void search(std::int64_t limit, Vector<std::int64_t>& start, Vector<std::int32_t>& atom,
                Budget& budget);
    void begin(Budget& budget);
    bool queue(Vector<Part> parts, std::int32_t next);

    Family given_;  // until begun
    Vector<QueuedPart> parts_;
    Vector<Frame> frames_;
    Vector<std::int32_t> members_;
    bool begun_ = false;
    bool is_only_set_next_ = false;  // where the clauses leave no choice
};

}  // namespace cattleya::minimum
