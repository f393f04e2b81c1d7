// smallest.hpp - the smallest kernel that shows a case's fault on a device. Internal to conformance/.
#pragma once

#include <chrono>
#include <string>

#include <muster/conformance/trial.hpp>

namespace muster::conformance {

struct SmallKernel {
    std::string text;   // a case: the directives for the bindings that are left, and the kernel
    std::string fault;  // its own first difference or error
};

/// Reduces the case's kernel until the deadline, with the device as the judge. A candidate counts only if its
/// results are defined: the interpreter finds no race in it, and gives the same bits in any order of
/// invocations. Empty text: nothing smaller was found.
SmallKernel smallest_kernel(Trials& trials, const Case& test, const Trial& fault,
                            std::chrono::steady_clock::time_point deadline);

}  // namespace muster::conformance
