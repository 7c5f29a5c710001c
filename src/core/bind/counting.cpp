// Registers counting, importance, sizes, samples and circuits of minimal hitting sets.
#include "counting/counting.hpp"

#include <nanobind/nanobind.h>

#include <tuple>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "counting/circuit.hpp"
#include "counting/sample.hpp"

namespace cattleya::bind {
namespace {

using namespace nb::literals;
using counting::Assumptions;
using counting::Circuit;
using counting::ClauseSet;

ClauseSet clause_set(const Long& start, const Int& atom, std::int32_t n_atoms) {
    return {n_atoms, copy(start), copy(atom)};
}

Assumptions assumptions(const Int& including, const Int& excluding) {
    return {copy(including), copy(excluding)};
}

auto give_importance(counting::ImportanceResult&& result) {
    auto [component_start, components] = give_lists(result.component_count);
    auto [atom_start, atoms] = give_lists(result.atom_count);
    return std::make_tuple(give(std::move(result.count)), give(std::move(result.component_of)),
                           components, component_start, atoms, atom_start);
}

void register_queries(nb::module_& m) {
    m.def(
        "count_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory, std::int32_t threads) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            return give(within(seconds, memory, [&](Budget& budget) {
                            return counting::count(clauses, budget, threads);
                        }).count);
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "threads"_a = 1, "The number of minimal hitting sets, as 64-bit limbs, least first.");

    m.def(
        "weigh_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory, std::int32_t threads) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            return give_importance(within(seconds, memory, [&](Budget& budget) {
                return counting::importance(clauses, budget, threads);
            }));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "threads"_a = 1,
        "The number of minimal hitting sets, and of those with each atom, by component.");

    m.def(
        "count_hitting_sets_by_size",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            const auto result = within(seconds, memory, [&](Budget& budget) {
                return counting::count_by_size(clauses, budget);
            });
            auto [first, limbs] = give_lists(result.count_of_size);
            return std::make_tuple(limbs, first);
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The number of minimal hitting sets of each size, from 0 on.");

    m.def(
        "sample_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, std::int64_t number,
           std::uint64_t seed, double seconds, std::int64_t memory) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            return give_lists(within(seconds, memory, [&](Budget& budget) {
                return counting::sample(clauses, number, seed, budget);
            }));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "number"_a, "seed"_a, "seconds"_a,
        "memory"_a, "Minimal hitting sets drawn uniformly, as (start, atom).");
}

void register_circuit(nb::module_& m) {
    nb::class_<Circuit>(m, "Circuit", "The sum over minimal hitting sets as a program, recorded.")
        .def(
            "__init__",
            [](Circuit* self, std::int32_t n_atoms, bool impossible, const In<std::uint32_t>& words,
               const Long& component_start, const Long& atom_start, const Int& atoms,
               const In<std::uint32_t>& slots, const In<std::uint32_t>& result, const Real& bits) {
                Circuit circuit{n_atoms,          impossible,  copy(words), copy(component_start),
                                copy(atom_start), copy(atoms), copy(slots), copy(result),
                                copy(bits)};
                counting::check(circuit);
                new (self) Circuit(std::move(circuit));
            },
            "n_atoms"_a, "impossible"_a, "words"_a.noconvert(), "component_start"_a.noconvert(),
            "atom_start"_a.noconvert(), "atoms"_a.noconvert(), "slots"_a.noconvert(),
            "result"_a.noconvert(), "bits"_a.noconvert())
        .def_static(
            "compile",
            [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
               std::int64_t memory) {
                const ClauseSet clauses = clause_set(start, atom, n_atoms);
                return within(seconds, memory,
                              [&](Budget& budget) { return counting::compile(clauses, budget); });
            },
            "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a)
        .def(
            "count",
            [](const Circuit& self, const Int& including, const Int& excluding, double seconds,
               std::int64_t memory) {
                const Assumptions assumed = assumptions(including, excluding);
                return give(within(seconds, memory, [&](Budget& budget) {
                    return counting::count(self, budget, assumed);
                }));
            },
            "including"_a.noconvert(), "excluding"_a.noconvert(), "seconds"_a, "memory"_a)
        .def(
            "weigh",
            [](const Circuit& self, const Int& including, const Int& excluding, double seconds,
               std::int64_t memory) {
                const Assumptions assumed = assumptions(including, excluding);
                return give_importance(within(seconds, memory, [&](Budget& budget) {
                    return counting::importance(self, budget, assumed);
                }));
            },
            "including"_a.noconvert(), "excluding"_a.noconvert(), "seconds"_a, "memory"_a)
        .def(
            "arrays",
            [](const Circuit& self) {
                const auto given = [](const auto& values) { return give(std::vector(values)); };
                return std::make_tuple(self.n_atoms, self.impossible, given(self.words),
                                       given(self.component_start), given(self.atom_start),
                                       given(self.atoms), given(self.slots), given(self.result),
                                       given(self.bits));
            },
            "What __init__ takes.")
        .def_prop_ro("instructions", &Circuit::instructions);
}

}  // namespace

void register_counting(nb::module_& m) {
    register_queries(m);
    register_circuit(m);
}

}  // namespace cattleya::bind
