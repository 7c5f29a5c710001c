// The flags by which one thread cancels the questions of another.
#include "support/cancellation.hpp"

#include <nanobind/nanobind.h>

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
    m.def("unwatch", [] {
        if (watched_flags().empty()) throw std::logic_error("this thread watches no flag");
        watched_flags().pop_back();
    });
    m.def("check_cancelled", [] { check_cancelled(watched_flags()); });
}

}  // namespace cattleya::bind
