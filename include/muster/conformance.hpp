// conformance.hpp - the conformance suite for programs: find_package(muster COMPONENTS
// conformance), muster::conformance.
//
//     #include <muster/conformance.hpp>
//     auto report = muster::conformance::check({.session = {.policy = {.backends = {{"mine"}}}}});
//
// `muster check` is the same as a command; docs/tool.md describes the cases, the known gaps and the report.
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/conformance/check.hpp>
