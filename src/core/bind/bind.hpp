// One registering file per room of the core; module.cpp calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace cattleya::bind {

void register_cancellation(nanobind::module_& m);
void register_reasons(nanobind::module_& m);
void register_condition_base(nanobind::module_& m);
void register_named_sets(nanobind::module_& m);
void register_domain(nanobind::module_& m);
void register_ensemble(nanobind::module_& m);
void register_links(nanobind::module_& m);
void register_counting(nanobind::module_& m);
void register_minimum(nanobind::module_& m);
void register_proof(nanobind::module_& m);
void register_ensemble_search(nanobind::module_& m);
void register_short_reasons(nanobind::module_& m);
void register_batch(nanobind::module_& m);

}  // namespace cattleya::bind
