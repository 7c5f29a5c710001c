// What can be said of the minimum hitting sets of a family without search.
//
// An atom that is alone in a clause is taken. A clause that contains another goes. Beyond that,
// depending on what is asked:
//
//   twins      atoms of exactly the same clauses become one, which stands for all of them: no
//              minimum set has two. All minimum sets can still be told.
//   dominated  an atom whose clauses are all clauses of another that is not dearer goes: some
//              minimum set does without. Clauses of decision trees mostly vanish under this rule,
//              and what was taken is then a minimum hitting set.
//
// Where the family has groups, an atom taken rules out the others of its group.
//
// In the second case, without weights, the clauses that became single atoms are pairwise disjoint
// as they were given: an atom common to two of them has gone because of one that is also common to
// both, and so on until the taken atom of the first, which would have hit the second. So they bound
// the minimum from below; where the family vanishes, they prove it.
#pragma once

#include <cstdint>
#include <span>

#include "minimum/family.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::minimum {

enum class Fold { nothing, twins, dominated };

class Reduction {
   public:
    // The weights are by tag; where there are none, all are 1. The family must outlive this.
    Reduction(const Family& family, Fold fold, Budget& budget,
              std::span<const Weight> weights = {});

    void take(std::int32_t atom);
    void drop(std::int32_t atom);
    [[nodiscard]] std::size_t n_atoms() const { return tag_.size(); }

    // From now on only sets with exactly one atom of each group count. By atom; atoms that are not
    // live may be in any.
    void set_groups(Vector<std::int32_t> group);

    // Applies the rules until none applies; false where nothing can hit some clause. May be called
    // again after taking or dropping more.
    bool run();

    [[nodiscard]] bool is_solved() const { return live_clauses_ == 0; }
    [[nodiscard]] const Vector<std::int32_t>& taken() const { return taken_; }
    [[nodiscard]] std::int32_t tag(std::int32_t atom) const { return tag_[atom]; }

    // What is left; `origin` becomes the number here of each atom there.
    [[nodiscard]] Family rest(Vector<std::int32_t>& origin) const;

    // Pairwise disjoint clauses of the given family (folding dominated atoms, without weights):
    // those that became single atoms, and as many of the rest as a greedy choice finds.
    [[nodiscard]] Vector<std::int32_t> packing() const;

   private:
    void remove_clause(std::int32_t clause);
    void remove_supersets(std::int32_t clause);
    void fold(std::int32_t atom);
    void touch_clause(std::int32_t clause);
    void touch_atom(std::int32_t atom);
    [[nodiscard]] bool contains(std::int32_t clause, std::int32_t atom) const;

    const Family& family_;
    const Fold fold_;
    Budget& budget_;
    const std::span<const Weight> weights_;

    Vector<std::int32_t> on_start_, on_;  // the clauses of each atom
    Vector<std::int32_t> size_, degree_;  // among the live
    Vector<std::uint8_t> live_clause_, live_atom_, touched_clause_, touched_atom_;
    Vector<std::int32_t> units_, clauses_to_do_, atoms_to_do_;
    Vector<std::int64_t> mark_;  // by atom
    std::int64_t last_mark_ = 0;
    Vector<std::int32_t> group_, group_start_, group_members_;
    std::int32_t live_clauses_;
    bool failed_ = false;

    Vector<std::int32_t> tag_, taken_, became_single_;
};

}  // namespace cattleya::minimum
