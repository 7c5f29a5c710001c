// Registers minimum hitting sets: one, how many, all.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
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
            std::vector<std::int32_t> best;
            {
                nb::gil_scoped_release free;
                Budget budget = python_budget(seconds, memory);
                best =
                    minimum_hitting_set({view(start), view(atom)}, n_atoms, view(weights), budget);
            }
            return give(std::move(best));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "weights"_a.noconvert(),
        "seconds"_a, "memory"_a,
        "A hitting set of least weight; two limbs an atom, the low one first, or none: all 1.");

    m.def(
        "count_minimum_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory) {
            MinimumCount result;
            {
                nb::gil_scoped_release free;
                Budget budget = python_budget(seconds, memory);
                result = count_minimum_hitting_sets({view(start), view(atom)}, n_atoms, budget);
            }
            return std::make_tuple(result.size, give(std::move(result.count)));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The least size of a hitting set, and how many have it, as 64-bit limbs, least first.");

    nb::class_<MinimumHittingSets>(m, "MinimumHittingSets",
                                   "All hitting sets of the least size, one after the other.")
        .def(
            "__init__",
            [](MinimumHittingSets* self, const Long& start, const Int& atom, std::int32_t n_atoms) {
                new (self) MinimumHittingSets({view(start), view(atom)}, n_atoms);
            },
            "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a)
        .def(
            "next",
            [](MinimumHittingSets& self, std::int64_t limit, double seconds) {
                std::vector<std::int64_t> start{0};
                std::vector<std::int32_t> atom;
                bool more = false;
                {
                    nb::gil_scoped_release free;
                    Budget budget = python_budget(seconds, kUnbounded);
                    more = self.next(limit, start, atom, budget);
                }
                return std::make_tuple(more, give(std::move(start)), give(std::move(atom)));
            },
            "limit"_a, "seconds"_a,
            "At most so many further sets as (more, start, atom); the order is the search's.");
}

}  // namespace cattleya
