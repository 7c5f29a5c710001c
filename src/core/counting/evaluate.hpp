// Evaluating the program of one component while it is being written.
#pragma once

#include <cstddef>

#include "counting/component.hpp"
#include "counting/counting.hpp"
#include "counting/program.hpp"
#include "support/natural.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

// A program of at most this many words is short: it is evaluated in one piece, by one thread.
inline constexpr std::size_t kShortProgram = std::size_t{1} << 17;

// Limbs for a number below two to the `bits`.
int limbs_for(double bits);

// A first guess from the bound by splitting, which is between one and four times the true number of
// bits.
int guess_limbs(double bound_bits);

// The number of minimal hitting sets of one component.
Natural count_component(const Component& component, Budget& budget, Effort& effort,
                        int threads = 1);

// The same, and for every atom of the component the number of those that contain it.
struct ComponentImportance {
    Natural count;
    Vector<Natural> atom_count;
};
ComponentImportance importance_of_component(const Component& component, Budget& budget,
                                            Effort& effort, int threads = 1);

// The same by several threads; for components that take long. Without `want_atoms`, only the count.
ComponentImportance count_in_parallel(const Component& component, bool want_atoms, int threads,
                                      Budget& budget, Effort& effort);

// A component that is one plain clause: as many minimal hitting sets as atoms.
bool is_single_clause(const Component& component);

// Puts zero, one and unit weights into a machine's first slots.
template <class AnyMachine>
void load_units(AnyMachine& machine, Slot inputs) {
    machine.reserve(kFirstInput + inputs);
    machine.set(kZero, 0);
    for (Slot s = kOne; s < kFirstInput + inputs; ++s) machine.set(s, 1);
}

}  // namespace cattleya::counting
