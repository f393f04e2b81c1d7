// hints.hpp - says where a reads_whole does nothing: that a program may read all of a
// buffer. Internal to cluster/.
#pragma once

#include <span>

#include <muster/cluster/execution/run_part.hpp>

namespace muster {

/// Checks each hint of a dispatch, if the session validates. Validation::warn: logs it, once for each kernel
/// and buffer. Errors: invalid_argument, with Validation::error.
Result<void> check_hints(const ClusterKernel::State& kernel, std::span<const ClusterBound> bound,
                         Extent3 grid);

}  // namespace muster
