// An upper bound for the number of minimal hitting sets, which says how many limbs the ring needs
// (ring.hpp).
//
// Splitting lemma. Replace a vertex v by v' in some of its clauses and by v'' in the others. The
// number of minimal hitting sets does not fall: a minimal hitting set T without v stays one; if v
// is in T, put v' and v'' in its place and take out one of the two if it is redundant. Both cannot
// be, for v has a clause of its own in T; the other members keep theirs; and T can be read off the
// result, so the map is injective.
//
// Sort the atoms of every clause, frequent ones first, and make a trie of the clauses. Splitting
// until no two nodes of the trie share a vertex gives a formula in which every vertex occurs once,
// and for those the number is known:
//     B(node) = product over the children c of (k_c + B(c)),     B(end of a clause) = 0.
// On trees whose conditions are all different this is the number itself.
#pragma once

#include "counting/clause_set.hpp"
#include "support/budget.hpp"

namespace cattleya::counting {

// A number of bits that every count of minimal hitting sets of the clauses fits into; `weight_bits`
// bounds the bits of the weights (1 where all are 0 or 1).
double count_bits_bound(const ClauseSet& clauses, Budget& budget, double weight_bits = 0);

}  // namespace cattleya::counting
