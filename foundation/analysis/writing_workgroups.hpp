// writing_workgroups.hpp - finds the workgroups of a grid that write to storage, from the
// conditions around the writes.
//
// If all writes of a program are in `if workgroup_id.x == 0 {..}` or `if global_invocation_id.x < 10
// {..}`, or after a similar `if .. {return;}`, the other workgroups have no visible effect and
// needn't run. Threads: pure.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Returns the number of workgroups along each axis, from the first; UINT32_MAX: any number. The others write
/// nothing to storage and execute no extension operation.
Extent3 writing_workgroups(const Program& program);

MUSTER_API_END
}  // namespace muster
