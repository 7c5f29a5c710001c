// The tree under the logic of its domain, and its independent verifier.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "domain_tree.hpp"
#include "refute_domain.hpp"

namespace cattleya {
namespace {

using Int = In<std::int32_t>;
using Byte = In<std::uint8_t>;
using Real = In<double>;
using Word = In<std::uint64_t>;

using namespace nb::literals;

std::tuple<Out<std::int64_t>, Out<std::int32_t>> give_clauses(Clauses&& clauses) {
    return {give(std::move(clauses.start)), give(std::move(clauses.atom))};
}

std::vector<Left> fixed_from(const Real& low, const Real& high, const Byte& missing,
                             const Int& point) {
    const std::size_t size = low.shape(0);
    if (high.shape(0) != size || missing.shape(0) != size || point.shape(0) != size) {
        throw std::invalid_argument("low, high, missing and point have unequal lengths");
    }
    std::vector<Left> fixed(size);
    for (std::size_t a = 0; a < size; ++a) {
        fixed[a] = {low.data()[a], high.data()[a], missing.data()[a], point.data()[a]};
    }
    return fixed;
}

template <class T>
Out<T> each(const std::vector<Left>& left, T Left::* field) {
    std::vector<T> values;
    values.reserve(left.size());
    for (const Left& one : left) values.push_back(one.*field);
    return give(std::move(values));
}

void register_tree(nb::module_& m) {
    nb::class_<DomainTree>(m, "DomainTree", "A tree under the logic of its domain; any thread.")
        .def(
            "__init__",
            [](DomainTree* self, const Int& left, const Int& right, const Int& test,
               const Int& leaf_class, const Int& attribute, const Int& level,
               const Byte& missing_left, const Int& n_levels, const Int& n_cells,
               const Real& level_value, const Word& words, bool takes_missing,
               std::int32_t n_classes) {
                nb::gil_scoped_release free;
                Budget budget = python_budget(kForever, kUnbounded);
                new (self) DomainTree(
                    {view(left), view(right), view(test), view(leaf_class)},
                    {view(attribute), view(level), view(missing_left)},
                    {view(n_levels), view(n_cells), view(level_value), view(words), takes_missing},
                    n_classes, budget);
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "test"_a.noconvert(),
            "leaf_class"_a.noconvert(), "attribute"_a.noconvert(), "level"_a.noconvert(),
            "missing_left"_a.noconvert(), "n_levels"_a.noconvert(), "n_cells"_a.noconvert(),
            "level_value"_a.noconvert(), "words"_a.noconvert(), "takes_missing"_a, "n_classes"_a)
        .def_prop_ro("n_nodes", &DomainTree::n_nodes, "How many nodes can be reached.")
        .def(
            "cells",
            [](const DomainTree& self, const Real& values) {
                return give(self.cells(view(values)));
            },
            "values"_a.noconvert(), "The cell of each number; -1 where it is missing.")
        .def(
            "path",
            [](const DomainTree& self, const Int& cells) {
                Path path;
                {
                    nb::gil_scoped_release free;
                    path = self.path(view(cells));
                }
                return std::make_tuple(path.leaf_class, give(std::move(path.conditions)));
            },
            "cells"_a.noconvert(), "The class of the row and the tests on its path.")
        .def(
            "feature_reason",
            [](const DomainTree& self, const Int& cells, std::int32_t row_class,
               std::int32_t toward, double seconds, std::int64_t memory) {
                Clauses clauses = within(seconds, memory, [&](Budget& budget) {
                    return self.feature_reason(view(cells), row_class, toward, budget);
                });
                return give_clauses(std::move(clauses));
            },
            "cells"_a.noconvert(), "row_class"_a, "toward"_a, "seconds"_a, "memory"_a,
            "The minimal clauses over attributes, smallest first, as (start, atom).")
        .def(
            "interval_reason",
            [](const DomainTree& self, const Int& cells, const Int& first_atom,
               std::int32_t row_class, std::int32_t toward, double seconds, std::int64_t memory) {
                Clauses clauses = within(seconds, memory, [&](Budget& budget) {
                    return self.interval_reason(view(cells), view(first_atom), row_class, toward,
                                                budget);
                });
                return give_clauses(std::move(clauses));
            },
            "cells"_a.noconvert(), "first_atom"_a.noconvert(), "row_class"_a, "toward"_a,
            "seconds"_a, "memory"_a,
            "The minimal clauses over the row's sides of levels, smallest first, as (start, "
            "atom).");
}

void register_verifier(nb::module_& m) {
    nb::class_<ValueTree>(m, "DomainVerifier",
                          "Proves or refutes what is fixed of a row, on the tree as given.")
        .def(
            "__init__",
            [](ValueTree* self, const Int& left, const Int& right, const Int& column,
               const Int& leaf_class, const Real& threshold, const Byte& missing_left,
               const Real& below, const Real& above, const Int& attribute, const Int& place,
               const Int& width, const In<std::int64_t>& first_point, const Real& points,
               bool takes_missing) {
                ValueTree tree{copy(left),      copy(right),        copy(column), copy(leaf_class),
                               copy(threshold), copy(missing_left), copy(below),  copy(above),
                               copy(attribute), copy(place),        copy(width),  copy(first_point),
                               copy(points),    takes_missing};
                tree.check();
                new (self) ValueTree(std::move(tree));
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "column"_a.noconvert(),
            "leaf_class"_a.noconvert(), "threshold"_a.noconvert(), "missing_left"_a.noconvert(),
            "below"_a.noconvert(), "above"_a.noconvert(), "attribute"_a.noconvert(),
            "place"_a.noconvert(), "width"_a.noconvert(), "first_point"_a.noconvert(),
            "points"_a.noconvert(), "takes_missing"_a)
        .def(
            "refute",
            [](const ValueTree& self, const Real& low, const Real& high, const Byte& missing,
               const Int& point, const Int& own, std::int32_t row_class) {
                Refutation found = within(kForever, kUnbounded, [&](Budget& budget) {
                    return refute(self, fixed_from(low, high, missing, point), view(own), row_class,
                                  budget);
                });
                return std::make_tuple(
                    found.leaf, each(found.left, &Left::low), each(found.left, &Left::high),
                    each(found.left, &Left::missing), each(found.left, &Left::point));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "point"_a.noconvert(), "own"_a.noconvert(), "row_class"_a,
            "A leaf of another class within what is fixed, or -1, and what is left there.")
        .def(
            "needed",
            [](const ValueTree& self, const Real& low, const Real& high, const Byte& missing,
               const Int& point, std::int32_t row_class) {
                std::vector<std::uint8_t> result =
                    within(kForever, kUnbounded, [&](Budget& budget) {
                        return needed(self, fixed_from(low, high, missing, point), row_class,
                                      budget);
                    });
                return give(std::move(result));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "point"_a.noconvert(), "row_class"_a,
            "One byte an attribute: does the class hang on what is fixed of it?");
}

}  // namespace

void register_domain(nb::module_& m) {
    register_tree(m);
    register_verifier(m);
}

}  // namespace cattleya
