// Evaluating the program of one component while it is being written.
#pragma once

#include "component.hpp"
#include "counting.hpp"
#include "machine.hpp"

namespace cattleya {

// Limbs for a number below two to the `bits`.
int limbs_for(double bits);

// A first guess from the bound by splitting, which is between one and four times the true number of
// bits.
int guess_limbs(double bound_bits);

// The number of minimal hitting sets of one component.
Natural count_component(const Component& component, Budget& budget, Effort& effort);

// The same, and for every atom of the component the number of those that contain it.
struct ComponentImportance {
    Natural count;
    std::vector<Natural> atom_count;
};
ComponentImportance importance_of_component(const Component& component, Budget& budget,
                                            Effort& effort);

// A component that is one plain clause: as many minimal hitting sets as atoms.
bool is_single_clause(const Component& component);

// Puts zero, one and unit weights into a machine's first slots.
template <class AnyMachine>
void load_units(AnyMachine& machine, Slot inputs) {
    machine.reserve(kFirstInput + inputs);
    machine.set(kZero, 0);
    for (Slot s = kOne; s < kFirstInput + inputs; ++s) machine.set(s, 1);
}

}  // namespace cattleya
