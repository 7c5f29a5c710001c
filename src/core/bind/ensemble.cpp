// Registers ensembles of trees.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "ensemble/shape.hpp"
#include "ensemble/sums.hpp"
#include "support/grid.hpp"
#include "support/text_numbers.hpp"

namespace cattleya::bind {

using ensemble::Sums;
using namespace nb::literals;

void register_ensemble(nb::module_& m) {
    m.def(
        "numbers_in", [](std::string_view text) { return give(numbers_in(text)); }, "text"_a,
        "The numbers in a text, with spaces between them; ValueError where something is none.");

    m.def(
        "on_grid", [](const Real& row, bool single) { return give(on_grid(view(row), single)); },
        "row"_a, "single"_a,
        "Numbers rounded to 32 bits, or as they are; none where one is not finite then.");

    m.def(
        "any_missing",
        [](const Real& row) {
            return std::ranges::any_of(view(row), [](double x) { return std::isnan(x); });
        },
        "row"_a, "Whether a number is NaN.");

    m.def(
        "check_trees",
        [](const Int& start, const Int& left, const Int& right) {
            std::vector<std::int32_t> depths;
            {
                nb::gil_scoped_release free;
                depths = ensemble::check_trees(view(start), view(left), view(right));
            }
            return give(std::move(depths));
        },
        "start"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
        "The depth of each tree; ValueError names the first node that is wrong.");

    nb::class_<Sums>(m, "Sums", "The sums of an ensemble; never changes, any thread.")
        .def(
            "__init__",
            [](Sums* self, const Int& tree_start, const Int& left, const Int& right,
               const Int& feature, const Real& threshold, const Byte& missing_left,
               const Int& category_set, const Int& set_start, const Int& set_codes,
               const Byte& set_left, const Real& value, const Int& output_of_tree, const Real& base,
               const Real& offset, double divide_by, double scale, bool in_float32,
               std::int32_t n_features) {
                nb::gil_scoped_release free;
                new (self) Sums({view(tree_start), view(left), view(right), view(feature),
                                 view(threshold), view(missing_left), view(category_set)},
                                {view(set_start), view(set_codes), view(set_left)},
                                {view(value), view(output_of_tree), view(base), view(offset),
                                 divide_by, scale, in_float32},
                                n_features);
            },
            "tree_start"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
            "feature"_a.noconvert(), "threshold"_a.noconvert(), "missing_left"_a.noconvert(),
            "category_set"_a.noconvert(), "set_start"_a.noconvert(), "set_codes"_a.noconvert(),
            "set_left"_a.noconvert(), "value"_a.noconvert(), "output_of_tree"_a.noconvert(),
            "base"_a.noconvert(), "offset"_a.noconvert(), "divide_by"_a, "scale"_a, "in_float32"_a,
            "n_features"_a)
        .def(
            "margins",
            [](const Sums& self, const Real& matrix, std::size_t n_rows) {
                return give(within(kForever, kUnbounded, [&](Budget& budget) {
                    return self.margins(view(matrix), n_rows, budget);
                }));
            },
            "matrix"_a.noconvert(), "n_rows"_a, "The sums of each row, one after the other.")
        .def(
            "decide",
            [](const Sums& self, const Real& row, std::optional<double> cut) {
                return self.decide(view(row), cut);
            },
            "row"_a.noconvert(), "cut"_a.none(),
            "The place of the largest sum of a row; with a cut, whether the first has reached it.");
}

}  // namespace cattleya::bind
