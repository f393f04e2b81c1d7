// grid_phase.hpp - what may happen in a program before its next grid barrier: for backends that have grid barriers
// themselves. Where it isn't certain that something can't happen, it may. Threads: pure.
#pragma once

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// Whether an invocation may come from a grid_uniform_load to a write of the variable that it reads before it comes to a
/// grid barrier. Others may then still have the load before them: all have to meet once more in between.
bool may_be_overwritten(const Program& program, NodeId grid_uniform_load);

/// Whether an invocation may return while others have a grid barrier before them.
bool may_return_before_grid_barrier(const Program& program);

}  // namespace muster
