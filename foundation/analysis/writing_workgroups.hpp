// writing_workgroups.hpp - which workgroups of a grid write to storage, as far as the conditions around the writes tell.
//
// Where all that a program writes stands in `if workgroup_id.x == 0 {..}` or `if global_invocation_id.x < 10 {..}`, or behind an
// `if .. {return;}` of the like, other workgroups do nothing that anybody sees, and needn't run. Threads: pure.
#pragma once

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// How many along each axis, from the first; UINT32_MAX: any. Others write nothing, and of an extension do nothing.
Extent3 writing_workgroups(const Program& program);

}  // namespace muster
