// The flags by which one thread cancels the questions of another.
#include "support/cancellation.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "bind/bind.hpp"

namespace cattleya::bind {

void register_cancellation(nanobind::module_& m) {
    namespace nb = nanobind;
    nb::exception<Cancelled>(m, "Cancelled", PyExc_RuntimeError);
    nb::class_<CancelFlag>(m, "CancelFlag")
        .def(nb::init<>())
        .def("set", &CancelFlag::set)
        .def("is_set", &CancelFlag::is_set);
    m.def(
        "watch", [](const CancelFlag& flag) { watched_flags().push_back(flag); }, nb::arg("flag"));
    m.def(
        "unwatch",
        [](const CancelFlag& flag) {  // not always the last: generators and tasks interleave
            auto& flags = watched_flags();
            const auto found = std::find(flags.rbegin(), flags.rend(), flag);
            if (found == flags.rend())
                throw std::invalid_argument("this thread watches no such flag");
            flags.erase(std::next(found).base());
        },
        nb::arg("flag"));
    m.def("check_cancelled", [] { check_cancelled(watched_flags()); });
}

}  // namespace cattleya::bind
