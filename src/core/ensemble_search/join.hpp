// Joins lists of leaves of which some combinations are reached by no row.
//
// The bound of a box is the sum of the largest weights, list by list, though the leaves that have
// them may exclude each other. Of joined lists only the combinations that go together are left, and
// the bound is often lower (as in Veritas, by Devos, Meert and Davis). Joining is worth most where
// few leaves are left, so it is done again in smaller boxes. Joining into longer lists than one
// word of a mask has bits was tried and dropped: the bounds were little better, and took far
// longer. So was shifting weight between lists until they agree about each attribute (block
// coordinate descent on the Lagrangian dual): in large boxes the bound came 18 to 79 % closer, but
// as many parts had to be looked at in the end, and exact reasons of adult's forests of 100 full
// trees and of 500 trees took 1.5 to 4 times as long.
#pragma once

#include "ensemble_search/leaves.hpp"

namespace cattleya::ensemble_search {

// Pairs lists up, as long as a pair has no more leaves than is permitted.
void join(LeafLists& all, const Attributes& attributes, std::size_t most, Budget& budget);

}  // namespace cattleya::ensemble_search
