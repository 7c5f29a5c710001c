// One registering file a category; module.cpp calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace cattleya {

void register_counting(nanobind::module_& m);
void register_minimum(nanobind::module_& m);
void register_domain(nanobind::module_& m);

}  // namespace cattleya
