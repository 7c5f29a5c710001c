// A recorded program: compiled once, asked many times.
//
// The program of every component is kept as the search wrote it (program.hpp): flat arrays, without
// division. Evaluating it with other weights answers other questions exactly:
//   - an atom is excluded by the weight 0;
//   - the atoms I are included by giving them a weight M = 2^b above the count: the sum is a
//     polynomial in M with nonnegative coefficients below M, and the coefficient of M^|I| is the
//     number of those that contain all of I;
//   - the derivative by k_v is the number of those that contain v.
// Arrays in, arrays out: `words`, `component_start`, ... can be written to a file as they are.
// `check` refuses arrays that no compiler wrote in a way that could harm (a slot out of range, an
// instruction cut off, an atom that does not exist).
#pragma once

#include <cstdint>

#include "counting/clause_set.hpp"
#include "counting/counting.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

struct Circuit {
    std::int32_t n_atoms = 0;
    bool impossible = false;               // some clause is empty: there is no hitting set
    Vector<std::uint32_t> words;           // the instructions of all components
    Vector<std::int64_t> component_start;  // in words; one more than there are components
    Vector<std::int64_t> atom_start;       // in atoms; one more than there are components
    Vector<std::int32_t> atoms;            // of the components: the inputs of their programs
    Vector<std::uint32_t> slots;           // by component: how many slots the program uses
    Vector<std::uint32_t> result;          // by component: the slot with the result
    Vector<double> bits;                   // by component: every count of it is below two to this

    std::int64_t components() const { return static_cast<std::int64_t>(slots.size()); }
    std::int64_t instructions() const;
};

// What must hold of the minimal hitting sets that are counted.
struct Assumptions {
    Vector<std::int32_t> including;
    Vector<std::int32_t> excluding;
};

// Throws std::invalid_argument where the arrays do not fit together.
void check(const Circuit& circuit);

Circuit compile(const ClauseSet& clauses, Budget& budget);

Natural count(const Circuit& circuit, Budget& budget, const Assumptions& assumptions = {});
ImportanceResult importance(const Circuit& circuit, Budget& budget,
                            const Assumptions& assumptions = {});

}  // namespace cattleya::counting
