// Registers minimum hitting sets: one, how many, all.
#include "minimum/minimum.hpp"

#include <nanobind/nanobind.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/enumeration.hpp"

namespace cattleya::bind {

using minimum::MinimumHittingSets;
using namespace nb::literals;

void register_minimum(nb::module_& m) {
    m.def(
        "minimum_hitting_set",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, const Word& weights,
           double seconds, std::int64_t memory) {
            return give(within(seconds, memory, [&](Budget& budget) {
                return minimum::minimum_hitting_set({view(start), view(atom)}, n_atoms,
                                                    view(weights), budget);
            }));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "weights"_a.noconvert(),
        "seconds"_a, "memory"_a,
        "A hitting set of least weight; two limbs per atom, the low one first, or none: all 1.");

    m.def(
        "count_minimum_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory) {
            auto [size, count] = within(seconds, memory, [&](Budget& budget) {
                return minimum::count_minimum_hitting_sets({view(start), view(atom)}, n_atoms,
                                                           budget);
            });
            return std::make_tuple(size, give(std::move(count)));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The least size of a hitting set, and how many have it, as 64-bit limbs, least first.");

    register_enumeration<MinimumHittingSets>(
        m, "MinimumHittingSets", "All hitting sets of the least size, one after the other.");
}

}  // namespace cattleya::bind
