// Registers counting, importance, sizes, samples and circuits of minimal hitting sets.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "counting/circuit.hpp"
#include "counting/counting.hpp"
#include "counting/sample.hpp"
#include "enumerate.hpp"

namespace cattleya {
namespace {

using Int = In<std::int32_t>;
using Long = In<std::int64_t>;
using Limbs = Out<std::uint64_t>;

using namespace nb::literals;

ClauseSet clause_set(const Long& start, const Int& atom, std::int32_t n_atoms) {
    return {n_atoms, copy(start), copy(atom)};
}

Assumptions assumptions(const Int& including, const Int& excluding) {
    return {copy(including), copy(excluding)};
}

// Many natural numbers as one array of limbs, and where each begins.
std::tuple<Limbs, Out<std::int64_t>> give_naturals(const std::vector<Natural>& numbers) {
    std::vector<std::uint64_t> limbs;
    std::vector<std::int64_t> start{0};
    for (const Natural& number : numbers) {
        limbs.insert(limbs.end(), number.begin(), number.end());
        start.push_back(static_cast<std::int64_t>(limbs.size()));
    }
    return {give(std::move(limbs)), give(std::move(start))};
}

auto give_importance(ImportanceResult&& result) {
    auto [components, component_start] = give_naturals(result.component_count);
    auto [atoms, atom_start] = give_naturals(result.atom_count);
    return std::make_tuple(give(std::move(result.count)), give(std::move(result.component_of)),
                           components, component_start, atoms, atom_start);
}

// Runs without the GIL, within a budget.
template <class Work>
auto within(double seconds, std::int64_t memory, Work work) {
    nb::gil_scoped_release free;
    Budget budget = python_budget(seconds, memory);
    return work(budget);
}

void register_queries(nb::module_& m) {
    m.def(
        "count_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory, std::int32_t threads) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            return give(within(seconds, memory, [&](Budget& budget) {
                            return count(clauses, budget, threads);
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
                return importance(clauses, budget, threads);
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
            return give_naturals(within(seconds, memory, [&](Budget& budget) {
                                     return count_by_size(clauses, budget);
                                 }).count_of_size);
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The number of minimal hitting sets of each size, from 0 on.");

    m.def(
        "sample_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, std::int64_t number,
           std::uint64_t seed, double seconds, std::int64_t memory) {
            const ClauseSet clauses = clause_set(start, atom, n_atoms);
            const auto drawn = within(seconds, memory, [&](Budget& budget) {
                return sample(clauses, number, seed, budget);
            });
            std::vector<std::int64_t> first{0};
            std::vector<std::int32_t> atoms;
            for (const auto& set : drawn) {
                atoms.insert(atoms.end(), set.begin(), set.end());
                first.push_back(static_cast<std::int64_t>(atoms.size()));
            }
            return std::make_tuple(give(std::move(first)), give(std::move(atoms)));
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
               const In<std::uint32_t>& slots, const In<std::uint32_t>& result,
               const In<double>& bits) {
                Circuit circuit{n_atoms,          impossible,  copy(words), copy(component_start),
                                copy(atom_start), copy(atoms), copy(slots), copy(result),
                                copy(bits)};
                check(circuit);
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
                              [&](Budget& budget) { return compile(clauses, budget); });
            },
            "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a)
        .def(
            "count",
            [](const Circuit& self, const Int& including, const Int& excluding, double seconds,
               std::int64_t memory) {
                const Assumptions assumed = assumptions(including, excluding);
                return give(within(seconds, memory,
                                   [&](Budget& budget) { return count(self, budget, assumed); }));
            },
            "including"_a.noconvert(), "excluding"_a.noconvert(), "seconds"_a, "memory"_a)
        .def(
            "weigh",
            [](const Circuit& self, const Int& including, const Int& excluding, double seconds,
               std::int64_t memory) {
                const Assumptions assumed = assumptions(including, excluding);
                return give_importance(within(seconds, memory, [&](Budget& budget) {
                    return importance(self, budget, assumed);
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

void register_enumeration(nb::module_& m) {
    nb::class_<HittingSets>(m, "HittingSets", "All minimal hitting sets, one after the other.")
        .def(
            "__init__",
            [](HittingSets* self, const Long& start, const Int& atom, std::int32_t n_atoms) {
                new (self) HittingSets({view(start), view(atom)}, n_atoms);
            },
            "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a)
        .def(
            "next",
            [](HittingSets& self, std::int64_t limit, double seconds) {
                std::vector<std::int64_t> start{0};
                std::vector<std::int32_t> atom;
                const bool more = within(seconds, kUnbounded, [&](Budget& budget) {
                    return self.next(limit, start, atom, budget);
                });
                return std::make_tuple(more, give(std::move(start)), give(std::move(atom)));
            },
            "limit"_a, "seconds"_a,
            "At most so many further sets as (more, start, atom); the order is the search's.");
}

}  // namespace

void register_counting(nb::module_& m) {
    register_queries(m);
    register_enumeration(m);
    register_circuit(m);
}

}  // namespace cattleya
