// Counting minimal hitting sets: all of them, those that contain each atom, those of each size.
//
// Let g be a set of clauses over the atoms V and k_v weights. Inclusion and exclusion over "this
// member is redundant" gives
//
//     sum over minimal hitting sets T of prod_{v in T} k_v
//         =  sum over x in {0,1,2}^V of prod_v w_v(x_v) prod_{c in g} [x(c) >= 2],
//            x(c) = sum of x_v over v in c,
//            w_v(0) = 1,  w_v(1) = -k_v,  w_v(2) = k_v.
//
// Let T = {v : x_v > 0} and Y = {v : x_v = 1}. A clause is satisfied iff T meets it and T does not
// meet it in a single member of Y; so Y ranges over the subsets of the members of T without a
// clause of their own, each with the sign (-1)^|Y|, and the sum over Y is 1 if every member of T
// has a clause of its own and 0 otherwise.
//
// The sum is worked out by summing out vertices and fixing others (tables.hpp, simplify.hpp,
// search.cpp), written as a program in the weights (program.hpp), and evaluated in a ring of
// integers modulo a power of two (ring.hpp, machine.hpp) that a proven bound of the result makes
// large enough (bound.hpp, enclosure.hpp). The derivative of the sum by k_v is the number of
// minimal hitting sets that contain v; one backward pass gives all of them.
#pragma once

#include <cstdint>

#include "counting/clause_set.hpp"
#include "support/budget.hpp"
#include "support/natural.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// How much was done: the same for the same input on every machine.
struct Effort {
    std::uint64_t nodes = 0;
    std::uint64_t instructions = 0;
};

struct CountResult {
    Natural count;
    Effort effort;
};

// The clauses fall into components without common atoms, and the number of minimal hitting sets is
// the product of the numbers of the components. The share of those that contain an atom is
// atom_count / component_count of its component.
struct ImportanceResult {
    Natural count;
    Vector<Natural> component_count;
    Vector<std::int32_t> component_of;  // by atom; -1 where the atom is in no clause
    Vector<Natural> atom_count;         // by atom, within its component
    Effort effort;
};

struct SizeResult {
    Vector<Natural> count_of_size;  // by size, from 0 on
    Effort effort;
};

// With several threads, only problems that take more than some milliseconds are shared among them.
CountResult count(const ClauseSet& clauses, Budget& budget, int threads = 1);
ImportanceResult importance(const ClauseSet& clauses, Budget& budget, int threads = 1);
SizeResult count_by_size(const ClauseSet& clauses, Budget& budget);

}  // namespace cattleya::counting
