// Registers the two verifiers, which prove or refute what is said of a row.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "proof/refute.hpp"
#include "proof/refute_domain.hpp"

namespace cattleya::bind {
namespace {

using namespace nb::literals;
using proof::GivenTree;
using proof::Left;
using proof::ValueTree;

// One field of what is left of each attribute.
template <class T>
Out<T> each(const std::vector<Left>& left, T Left::* field) {
    std::vector<T> values;
    values.reserve(left.size());
    for (const Left& one : left) values.push_back(one.*field);
    return give(std::move(values));
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
                    return proof::refuting_leaf(self, view(fixed), row_class, real, budget);
                });
            },
            "fixed"_a.noconvert(), "row_class"_a, "real"_a,
            "A leaf of another class that agrees with the fixed conditions, or -1.")
        .def(
            "removable",
            [](const GivenTree& self, const Sign& fixed, const Int& chosen,
               std::int32_t row_class) {
                return give(within(kForever, kUnbounded, [&](Budget& budget) {
                    return proof::removable(self, view(fixed), view(chosen), row_class, budget);
                }));
            },
            "fixed"_a.noconvert(), "chosen"_a.noconvert(), "row_class"_a,
            "Conditions that can go together while the rest still forces the class.")
        .def("path_to", &proof::path_to, "node"_a, "The path to a node as (condition, holds).");
}

void register_domain_verifier(nb::module_& m) {
    nb::class_<ValueTree>(m, "DomainVerifier",
                          "Proves or refutes what is fixed of a row, on the tree as given.")
        .def(
            "__init__",
            [](ValueTree* self, const Int& left, const Int& right, const Int& column,
               const Int& leaf_class, const Real& threshold, const Byte& missing_left,
               const Real& below, const Real& above, const Int& attribute, const Int& place,
               const Int& width, const Long& first_point, const Real& points, bool takes_missing) {
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
                const auto found = within(kForever, kUnbounded, [&](Budget& budget) {
                    const auto fixed =
                        proof::left_from(view(low), view(high), view(missing), view(point));
                    return proof::refute(self, fixed, view(own), row_class, budget);
                });
                return std::make_tuple(
                    found.leaf, each(found.left, &Left::low), each(found.left, &Left::high),
                    each(found.left, &Left::missing), each(found.left, &Left::point));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "point"_a.noconvert(), "own"_a.noconvert(), "row_class"_a,
            "A leaf of another class within what is fixed, or -1, and what is left there.")
        .def(
            "refute_box",
            [](const ValueTree& self, const Real& low, const Real& high, const Byte& missing,
               const Byte& allowed, const Int& own, std::int32_t row_class) {
                const auto found = within(kForever, kUnbounded, [&](Budget& budget) {
                    const std::vector<std::int32_t> any(low.size(), proof::kAnyPoint);
                    const auto fixed = proof::left_from(view(low), view(high), view(missing), any);
                    return proof::refute_box(self, fixed, view(allowed), view(own), row_class,
                                             budget);
                });
                return std::make_tuple(
                    found.leaf, each(found.left, &Left::low), each(found.left, &Left::high),
                    each(found.left, &Left::missing), each(found.left, &Left::point));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "allowed"_a.noconvert(), "own"_a.noconvert(), "row_class"_a,
            "The same, where a category may have any of the points that are allowed.")
        .def(
            "needed",
            [](const ValueTree& self, const Real& low, const Real& high, const Byte& missing,
               const Int& point, std::int32_t row_class) {
                return give(within(kForever, kUnbounded, [&](Budget& budget) {
                    const auto fixed =
                        proof::left_from(view(low), view(high), view(missing), view(point));
                    return proof::needed(self, fixed, row_class, budget);
                }));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "point"_a.noconvert(), "row_class"_a,
            "One byte per attribute: does the class hang on what is fixed of it?");
}

}  // namespace

void register_proof(nb::module_& m) {
    register_verifier(m);
    register_domain_verifier(m);
}

}  // namespace cattleya::bind
