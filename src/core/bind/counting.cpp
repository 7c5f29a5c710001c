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

// What Python's objects take for each condition of an answer, and for each reason that is drawn.
// They come when the search is over; but what it has let go of is not always the system's again.
constexpr std::int64_t kBytesACondition = 512;
constexpr std::int64_t kBytesASample = 128;

ClauseSet clause_set(const Long& start, const Int& atom, std::int32_t n_atoms) {
    return {n_atoms, counted(start), counted(atom)};
}

Assumptions assumptions(const Int& including, const Int& excluding) {
    return {counted(including), counted(excluding)};
}

// Many lists of numbers as one array, and where each begins.
template <class T>
struct Flat {
    Vector<T> values;
    Vector<std::int64_t> start;
};

template <class T>
Flat<T> flat(Vector<Vector<T>> lists) {
    Flat<T> result;
    std::size_t size = 0;
    for (const auto& list : lists) size += list.size();
    result.values.reserve(size);
    result.start.reserve(lists.size() + 1);
    result.start.push_back(0);
    for (auto& list : lists) {
        result.values.insert(result.values.end(), list.begin(), list.end());
        result.start.push_back(static_cast<std::int64_t>(result.values.size()));
        list = {};
    }
    return result;
}

struct FlatImportance {
    Natural count;
    Vector<std::int32_t> component_of;
    Flat<std::uint64_t> components, atoms;
};

FlatImportance flat(counting::ImportanceResult&& result) {
    return {std::move(result.count), std::move(result.component_of),
            flat(std::move(result.component_count)), flat(std::move(result.atom_count))};
}

auto give_importance(FlatImportance&& flat) {
    return std::make_tuple(give(std::move(flat.count)), give(std::move(flat.component_of)),
                           give(std::move(flat.components.values)),
                           give(std::move(flat.components.start)),
                           give(std::move(flat.atoms.values)), give(std::move(flat.atoms.start)));
}

void register_queries(nb::module_& m) {
    m.def(
        "count_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory, std::int32_t threads) {
            return give(within(seconds, memory, [&](Budget& budget) {
                            return counting::count(clause_set(start, atom, n_atoms), budget,
                                                   threads);
                        }).count);
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "threads"_a = 1, "The number of minimal hitting sets, as 64-bit limbs, least first.");

    m.def(
        "weigh_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory, std::int32_t threads) {
            return give_importance(within(
                seconds, memory,
                [&](Budget& budget) {
                    return flat(
                        counting::importance(clause_set(start, atom, n_atoms), budget, threads));
                },
                kBytesACondition * n_atoms));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "threads"_a = 1,
        "The number of minimal hitting sets, and of those with each atom, by component.");

    m.def(
        "count_hitting_sets_by_size",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, double seconds,
           std::int64_t memory) {
            auto sizes = within(seconds, memory, [&](Budget& budget) {
                return flat(counting::count_by_size(clause_set(start, atom, n_atoms), budget)
                                .count_of_size);
            });
            return std::make_tuple(give(std::move(sizes.values)), give(std::move(sizes.start)));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The number of minimal hitting sets of each size, from 0 on.");

    m.def(
        "sample_hitting_sets",
        [](const Long& start, const Int& atom, std::int32_t n_atoms, std::int64_t number,
           std::uint64_t seed, double seconds, std::int64_t memory) {
            auto drawn = within(
                seconds, memory,
                [&](Budget& budget) {
                    return flat(
                        counting::sample(clause_set(start, atom, n_atoms), number, seed, budget));
                },
                kBytesASample * number);
            return std::make_tuple(give(std::move(drawn.start)), give(std::move(drawn.values)));
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
                Circuit circuit{n_atoms,
                                impossible,
                                counted(words),
                                counted(component_start),
                                counted(atom_start),
                                counted(atoms),
                                counted(slots),
                                counted(result),
                                counted(bits)};
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
                return within(
                    seconds, memory,
                    [&](Budget& budget) {
                        return counting::compile(clause_set(start, atom, n_atoms), budget);
                    },
                    kBytesACondition * n_atoms);
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
                return give_importance(within(
                    seconds, memory,
                    [&](Budget& budget) {
                        return flat(counting::importance(self, budget, assumed));
                    },
                    kBytesACondition * self.n_atoms));
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
        .def_ro("n_atoms", &Circuit::n_atoms)
        .def_prop_ro("instructions", &Circuit::instructions);
}

}  // namespace

void register_counting(nb::module_& m) {
    register_queries(m);
    register_circuit(m);
}

}  // namespace cattleya::bind
