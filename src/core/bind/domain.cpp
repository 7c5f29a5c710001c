// Registers the tree under the logic of its domain.
#include <nanobind/nanobind.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "domain/domain_tree.hpp"

namespace cattleya::bind {

using domain::DomainTree;
using namespace nb::literals;

void register_domain(nb::module_& m) {
    nb::class_<DomainTree>(m, "DomainTree", "A tree under the logic of its domain; any thread.")
        .def(
            "__init__",
            [](DomainTree* self, const Int& left, const Int& right, const Int& test,
               const Int& leaf_class, const Int& attribute, const Int& level,
               const Byte& missing_left, const Int& n_levels, const Int& n_cells,
               const Real& level_value, const Word& words, bool takes_missing,
               std::int32_t n_classes, const Byte& never_missing) {
                within(kForever, kUnbounded, [&](Budget& budget) {
                    new (self) DomainTree({view(left), view(right), view(test), view(leaf_class)},
                                          {view(attribute), view(level), view(missing_left)},
                                          {view(n_levels), view(n_cells), view(level_value),
                                           view(words), takes_missing, view(never_missing)},
                                          n_classes, budget);
                });
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "test"_a.noconvert(),
            "leaf_class"_a.noconvert(), "attribute"_a.noconvert(), "level"_a.noconvert(),
            "missing_left"_a.noconvert(), "n_levels"_a.noconvert(), "n_cells"_a.noconvert(),
            "level_value"_a.noconvert(), "words"_a.noconvert(), "takes_missing"_a, "n_classes"_a,
            "never_missing"_a.noconvert())
        .def_prop_ro("n_nodes", &DomainTree::n_nodes, "How many nodes can be reached.")
        .def(
            "cells",
            [](const DomainTree& self, const Real& values) {
                auto cells = self.cells(view(values));
                const bool lacks = std::ranges::find(cells, DomainTree::kMissing) != cells.end();
                return std::make_tuple(give(std::move(cells)), lacks);
            },
            "values"_a.noconvert(), "The cell of each number, -1 where missing; whether any is.")
        .def(
            "path",
            [](const DomainTree& self, const Int& cells) {
                tree::Path path;
                {
                    nb::gil_scoped_release free;
                    path = self.path(view(cells));
                }
                return std::make_tuple(path.leaf_class, give(std::move(path.conditions)));
            },
            "cells"_a.noconvert(), "The class of the row and the tests on its path.")
        .def(
            "interval_path",
            [](const DomainTree& self, const Int& tests, const Int& cells, const Int& first_atom) {
                return give(self.interval_path(view(tests), view(cells), view(first_atom)));
            },
            "tests"_a.noconvert(), "cells"_a.noconvert(), "first_atom"_a.noconvert(),
            "The tightest atoms that the tests of a path speak of, in its order.")
        .def(
            "feature_reason",
            [](const DomainTree& self, const Int& cells, std::int32_t row_class,
               std::int32_t toward, double seconds, std::int64_t memory) {
                return give_clauses(within(seconds, memory, [&](Budget& budget) {
                    return self.feature_reason(view(cells), row_class, toward, budget);
                }));
            },
            "cells"_a.noconvert(), "row_class"_a, "toward"_a, "seconds"_a, "memory"_a,
            "The minimal clauses over attributes, smallest first, as (start, atom).")
        .def(
            "interval_reason",
            [](const DomainTree& self, const Int& cells, const Int& first_atom,
               std::int32_t row_class, std::int32_t toward, double seconds, std::int64_t memory) {
                return give_clauses(within(seconds, memory, [&](Budget& budget) {
                    return self.interval_reason(view(cells), view(first_atom), row_class, toward,
                                                budget);
                }));
            },
            "cells"_a.noconvert(), "first_atom"_a.noconvert(), "row_class"_a, "toward"_a,
            "seconds"_a, "memory"_a,
            "The minimal clauses over the row's sides of levels, smallest first, as (start, "
            "atom).")
        .def(
            "free_regions",
            [](const DomainTree& self, const Int& free, std::int32_t wanted, std::int64_t most,
               bool merge, double seconds, std::int64_t memory) {
                if (wanted < 0 || wanted > 2) throw nb::value_error("wanted is 0, 1 or 2");
                auto found = within(seconds, memory, [&](Budget& budget) {
                    auto regions = self.free_regions(
                        view(free), static_cast<DomainTree::Wanted>(wanted), most, budget);
                    // What is known when time runs out is known as it is.
                    if (!merge || !regions.complete) return regions;
                    return self.merged(std::move(regions), view(free), budget);
                });
                return nb::make_tuple(
                    found.complete, give(std::move(found.part_start)),
                    give(std::move(found.attribute)), give(std::move(found.low)),
                    give(std::move(found.high)), give(std::move(found.missing)),
                    give(std::move(found.case_start)), give(std::move(found.outcome)),
                    give(std::move(found.free_low)), give(std::move(found.free_high)),
                    give(std::move(found.free_missing)), give(std::move(found.words)));
            },
            "free"_a.noconvert(), "wanted"_a, "most"_a, "merge"_a, "seconds"_a, "memory"_a,
            "The regions whose outcome depends on the free attributes: see FreeRegions.")
        .def(
            "survey",
            [](const DomainTree& self, double seconds, std::int64_t memory) {
                auto found =
                    within(seconds, memory, [&](Budget& budget) { return self.survey(budget); });
                return nb::make_tuple(give(std::move(found.reached)), give(std::move(found.has)),
                                      give(std::move(found.attribute)), give(std::move(found.low)),
                                      give(std::move(found.high)), give(std::move(found.missing)),
                                      give(std::move(found.words)));
            },
            "seconds"_a, "memory"_a,
            "What rows come to, and what those of a class have: see Survey.")
        .def(
            "simplified",
            [](const DomainTree& self, double seconds, std::int64_t memory) {
                auto found = within(seconds, memory,
                                    [&](Budget& budget) { return self.simplified(budget); });
                return nb::make_tuple(found.smallest, give(std::move(found.left)),
                                      give(std::move(found.right)), give(std::move(found.test)),
                                      give(std::move(found.leaf_class)));
            },
            "seconds"_a, "memory"_a, "The smallest tree that is left when splits go.");
}

}  // namespace cattleya::bind
