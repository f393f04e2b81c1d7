// grid_phase.hpp - what may happen in a program before its next grid barrier, for backends with grid barriers
// of their own. Conservative: something may happen unless it certainly can't. Threads: pure.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// True if an invocation may get from a grid_uniform_load to a write of the variable that it reads without
/// passing a grid barrier. Others may not have executed the load yet, so all must meet once more in between.
bool may_be_overwritten(const Program& program, NodeId grid_uniform_load);

/// True if an invocation may return while others still have a grid barrier ahead of them.
bool may_return_before_grid_barrier(const Program& program);

MUSTER_API_END
}  // namespace muster
