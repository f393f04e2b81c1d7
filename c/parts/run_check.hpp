// run_check.hpp - runs the conformance suite. Threads: one call at a time for a device.
#pragma once

#include <muster/c/parts.hpp>

namespace muster::c {

Result<CheckResult> run_check(const CheckRequest& request);

}  // namespace muster::c
