// Registers the tree, its reasons over conditions, and what is asked of clauses alone.
#include <nanobind/nanobind.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/enumeration.hpp"
#include "reasons/antichain.hpp"
#include "reasons/complete_reason.hpp"
#include "reasons/enumerate.hpp"
#include "reasons/greedy.hpp"
#include "tree/engine.hpp"
#include "tree/shape.hpp"

namespace cattleya::bind {

using namespace nb::literals;
using reasons::HittingSets;
using tree::Engine;

static void register_engine(nb::module_& m) {
    m.def(
        "check_shape",
        [](const Int& left, const Int& right) {
            nb::gil_scoped_release free;
            return tree::check_shape(view(left), view(right));
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
            "row"_a.noconvert(), "One byte per condition: does it hold in the row?")
        .def(
            "path",
            [](const Engine& self, const Byte& truth) {
                tree::Path path;
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
                return give_clauses(within(seconds, memory, [&](Budget& budget) {
                    return reasons::complete_reason(self, view(truth), row_class, toward, budget);
                }));
            },
            "truth"_a.noconvert(), "row_class"_a, "toward"_a, "seconds"_a, "memory"_a,
            "The minimal clauses, smallest first, as (start, atom); toward -1: any other class.");
}

static void register_clauses(nb::module_& m) {
    m.def(
        "greedy_hitting_set",
        [](const Long& start, const Int& atom, const Int& first, std::size_t n_conditions) {
            std::vector<std::int32_t> kept;
            {
                nb::gil_scoped_release free;
                kept = reasons::greedy_hitting_set({view(start), view(atom)}, view(first),
                                                   n_conditions);
            }
            return give(std::move(kept));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "first"_a.noconvert(), "n_conditions"_a,
        "What is left of `first` when conditions are dropped in its order, every clause staying "
        "hit.");

    m.def(
        "minimal_clauses",
        [](const Long& start, const Int& atom, std::size_t n_atoms, double seconds,
           std::int64_t memory) {
            return give_clauses(within(seconds, memory, [&](Budget& budget) {
                return reasons::minimal_clauses({view(start), view(atom)}, n_atoms, budget);
            }));
        },
        "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "seconds"_a, "memory"_a,
        "The clauses that contain no other, each once, smaller ones first, as (start, atom).");

    register_enumeration<HittingSets>(m, "HittingSets",
                                      "All minimal hitting sets, one after the other.");
}

void register_reasons(nb::module_& m) {
    register_engine(m);
    register_clauses(m);
}

}  // namespace cattleya::bind
