// deviations.hpp - measures what a device's own division, square root, fma and subnormals do.
// Internal to conformance/.
#pragma once

#include <vector>

#include <muster/conformance/trial.hpp>

namespace muster::conformance {

/// Runs each operation on a few thousand floats and compares with the interpreter. An operation that the
/// device promises or has shown is measured in exact mode, which then uses the device's own; another one in
/// fast mode, which always does.
std::vector<Deviation> measure_deviations(Trials& trials);

}  // namespace muster::conformance
