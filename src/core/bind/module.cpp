// The extension module `cattleya._core`. This file only registers; `_core.pyi` is its contract.
#include <nanobind/nanobind.h>

#include "bind/bind.hpp"
#include "support/account.hpp"
#include "support/budget.hpp"

NB_MODULE(_core, m) {
    namespace nb = nanobind;
    m.doc() = "Native core: arrays in, arrays out.";
    // At exit, an object that some module still holds is no leak worth alarming a user with.
    nb::set_leak_warnings(false);
    nb::exception<cattleya::TimeoutExpired>(m, "TimeoutExpired", PyExc_TimeoutError);
    nb::exception<cattleya::MemoryLimitExceeded>(m, "MemoryLimitExceeded", PyExc_MemoryError);
    cattleya::bind::register_cancellation(m);
    cattleya::bind::register_reasons(m);
    cattleya::bind::register_condition_base(m);
    cattleya::bind::register_named_sets(m);
    cattleya::bind::register_domain(m);
    cattleya::bind::register_ensemble(m);
    cattleya::bind::register_links(m);
    cattleya::bind::register_counting(m);
    cattleya::bind::register_minimum(m);
    cattleya::bind::register_proof(m);
    cattleya::bind::register_ensemble_search(m);
    cattleya::bind::register_short_reasons(m);
    cattleya::bind::register_batch(m);
}
