// The extension module `cattleya._core`. This file only registers; `_core.pyi` is its contract.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "antichain.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "engine.hpp"
#include "refute.hpp"
#include "shape.hpp"

namespace cattleya {
namespace {

using Int = In<std::int32_t>;
using Byte = In<std::uint8_t>;
using Sign = In<std::int8_t>;
using Real = In<double>;

using namespace nb::literals;

void register_engine(nb::module_& m) {
    m.def(
        "check_shape",
        [](const Int& left, const Int& right) {
            nb::gil_scoped_release free;
            return check_shape(view(left), view(right));
        },
        "left"_a.noconvert(), "right"_a.noconvert(),
        "The depth of the tree; ValueError names the first node that is wrong.");

    nb::class_<Engine>(m, "Engine", "A tree made ready for walking; never changes, any thread.")
        .def(
            "__init__",
            [](Engine* self, const Int& left, const Int& right, const Int& condition,
               const Int& leaf_class, const Int& feature, const Real& threshold,
               const Byte& missing_left, std::int32_t n_features, std::int32_t n_classes) {
                nb::gil_scoped_release free;
                new (self) Engine({view(left), view(right), view(condition), view(leaf_class)},
                                  {view(feature), view(threshold), view(missing_left)}, n_features,
                                  n_classes);
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "condition"_a.noconvert(),
            "leaf_class"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(),
            "missing_left"_a.noconvert(), "n_features"_a, "n_classes"_a)
        .def(
            "evaluate",
            [](const Engine& self, const Real& row) {
                std::vector<std::uint8_t> truth(self.n_conditions());
                {
                    nb::gil_scoped_release free;
                    self.evaluate(view(row), truth);
                }
                return give(std::move(truth));
            },
            "row"_a.noconvert(), "One byte a condition: does it hold in the row?")
        .def(
            "path",
            [](const Engine& self, const Byte& truth) {
                Path path;
                {
                    nb::gil_scoped_release free;
                    path = self.path(view(truth));
                }
                return std::make_tuple(path.leaf_class, give(std::move(path.conditions)));
            },
            "truth"_a.noconvert(), "The class of the row and the conditions on its path.")
        .def(
            "complete_reason",
            [](const Engine& self, const Byte& truth, std::int32_t row_class, std::int32_t toward,
               double seconds, std::int64_t memory) {
                Clauses clauses = within(seconds, memory, [&](Budget& budget) {
                    return self.complete_reason(view(truth), row_class, toward, budget);
                });
                return std::make_tuple(give(std::move(clauses.start)),
                                       give(std::move(clauses.atom)));
            },
            "truth"_a.noconvert(), "row_class"_a, "toward"_a, "seconds"_a, "memory"_a,
            "The minimal clauses, smallest first, as (start, atom); toward -1: any other class.");

    m.def(
        "greedy_hitting_set",
        [](const In<std::int64_t>& clause_start, const Int& atom, const Int& first,
           std::size_t n_conditions) {
            std::vector<std::int32_t> kept;
            {
                nb::gil_scoped_release free;
                kept =
                    greedy_hitting_set({view(clause_start), view(atom)}, view(first), n_conditions);
            }
            return give(std::move(kept));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "first"_a.noconvert(), "n_conditions"_a,
        "What is left of `first` when conditions are dropped in its order, every clause staying "
        "hit.");

    m.def(
        "minimal_clauses",
        [](const In<std::int64_t>& clause_start, const Int& atom, std::size_t n_atoms,
           double seconds, std::int64_t memory) {
            Clauses kept = within(seconds, memory, [&](Budget& budget) {
                return minimal_clauses({view(clause_start), view(atom)}, n_atoms, budget);
            });
            return std::make_tuple(give(std::move(kept.start)), give(std::move(kept.atom)));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The clauses that contain no other, each once, smaller ones first, as (start, atom).");
}

void register_verifier(nb::module_& m) {
    nb::class_<GivenTree>(m, "Verifier", "Proves or refutes sets of conditions on the given tree.")
        .def(
            "__init__",
            [](GivenTree* self, const Int& left, const Int& right, const Int& condition,
               const Int& leaf_class, const Int& feature, const Real& threshold,
               const Byte& missing_left, const Byte& domain, bool takes_missing) {
                GivenTree tree{copy(left),         copy(right),   copy(condition),
                               copy(leaf_class),   copy(feature), copy(threshold),
                               copy(missing_left), copy(domain),  takes_missing};
                tree.check();
                new (self) GivenTree(std::move(tree));
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "condition"_a.noconvert(),
            "leaf_class"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(),
            "missing_left"_a.noconvert(), "domain"_a.noconvert(), "takes_missing"_a)
        .def(
            "refuting_leaf",
            [](const GivenTree& self, const Sign& fixed, std::int32_t row_class, bool real) {
                return within(kForever, kUnbounded, [&](Budget& budget) {
                    return refuting_leaf(self, view(fixed), row_class, real, budget);
                });
            },
            "fixed"_a.noconvert(), "row_class"_a, "real"_a,
            "A leaf of another class that agrees with the fixed conditions, or -1.")
        .def(
            "removable",
            [](const GivenTree& self, const Sign& fixed, const Int& chosen,
               std::int32_t row_class) {
                std::vector<std::int32_t> gone = within(kForever, kUnbounded, [&](Budget& budget) {
                    return removable(self, view(fixed), view(chosen), row_class, budget);
                });
                return give(std::move(gone));
            },
            "fixed"_a.noconvert(), "chosen"_a.noconvert(), "row_class"_a,
            "Conditions that can go together while the rest still forces the class.")
        .def("path_to", &path_to, "node"_a, "The path to a node as (condition, holds).");
}

}  // namespace
}  // namespace cattleya

NB_MODULE(_core, m) {
    namespace nb = nanobind;
    m.doc() = "Native core: arrays in, arrays out.";
    // At exit, an object that some module still holds is no leak worth alarming a user with.
    nb::set_leak_warnings(false);
    nb::exception<cattleya::TimeoutExpired>(m, "TimeoutExpired", PyExc_TimeoutError);
    nb::exception<cattleya::MemoryLimitExceeded>(m, "MemoryLimitExceeded", PyExc_MemoryError);
    cattleya::register_engine(m);
    cattleya::register_verifier(m);
    cattleya::register_counting(m);
    cattleya::register_minimum(m);
    cattleya::register_domain(m);
}
