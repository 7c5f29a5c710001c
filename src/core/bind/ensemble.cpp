// Registers ensembles of trees.
#include <nanobind/nanobind.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "ensemble/shape.hpp"

namespace cattleya::bind {

using namespace nb::literals;

void register_ensemble(nb::module_& m) {
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
}

}  // namespace cattleya::bind
