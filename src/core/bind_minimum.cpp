// Registers minimum hitting sets: one, how many, all.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "enumeration.hpp"
#include "minimum/minimum.hpp"

namespace cattleya {

void register_minimum(nb::module_& m) {
    using namespace nb::literals;
    using Int = In<std::int32_t>;
    using Long = In<std::int64_t>;

    m.def(
        "minimum_hitting_set",
        [](const Long& start, const Int& atom, std::int32_t n_atoms,
           const In<std::uint64_t>& weights, double seconds, std::int64_t memory) {
            Vector<std::int32_t> best = within(seconds, memory, [&](Budget& budget) {
                return minimum_hitting_set({view(start), view(atom)}, n_atoms, view(weights),
                                           budget);
            });
            return give(std::move(best));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "weights"_a.noconvert(),
        "seconds"_a, "memory"_a,
        "A hitting set of least weight; two limbs an atom, the low one first, or none: all 1.");

    m.def(
        "count_minimum_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory) {
            MinimumCount result = within(seconds, memory, [&](Budget& budget) {
                return count_minimum_hitting_sets({view(start), view(atom)}, n_atoms, budget);
            });
            return std::make_tuple(result.size, give(std::move(result.count)));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The least size of a hitting set, and how many have it, as 64-bit limbs, least first.");

    register_enumeration<MinimumHittingSets>(
        m, "MinimumHittingSets", "All hitting sets of the least size, one after the other.");
}

}  // namespace cattleya
