// Registers what boosting libraries make of sums.
#include "ensemble/links.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"

namespace cattleya::bind {

using namespace nb::literals;

template <class T>
void register_link(nb::module_& m, const char* name) {
    m.def(
        name,
        [](std::string_view link, const In<T>& sums, std::size_t width) {
            std::vector<T> numbers = copy(sums);
            {
                nb::gil_scoped_release free;
                ensemble::link(link, std::span<T>(numbers), width);
            }
            return give(std::move(numbers));
        },
        "name"_a, "sums"_a.noconvert(), "width"_a,
        "What a library makes of sums, row after row, with the functions of the C library.");
}

void register_links(nb::module_& m) {
    register_link<float>(m, "link32");
    register_link<double>(m, "link64");
}

}  // namespace cattleya::bind
