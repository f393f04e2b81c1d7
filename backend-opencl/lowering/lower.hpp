// lower.hpp - lowers a ValidProgram to OpenCL C 1.2, which all later versions take, too; with subgroups, to
// OpenCL C 3.0 with cl_intel_required_subgroup_size, cl_khr_subgroup_ballot and cl_khr_subgroup_shuffle.
//
// The kernel has three parameters for each binding, in the program's order: a buffer, the binding's offset in
// it and its size, in bytes. A kernel to be dispatched ends with two more, the origin and the whole grid
// (contract/backend.hpp, Launch); any other takes the grid of its launch. In exact mode the text turns
// contraction off. Pure. Threads: any.
#pragma once

#include <muster/backend_sdk.hpp>

namespace muster::opencl {

struct LowerTarget {
    CompileOptions options = {};
    bool dispatched = false;
};

/// The operations that lower() accepts: all exact operations and the math group, atomics of 64 bits, the two
/// of subgroups with which the others are written, without extensions.
const OpSet& supported_ops();

/// The size of the workgroup as OpenCL knows it. One with subgroups is a line: a device forms these from
/// successive invocations of one, as muster does by local_invocation_index.
Extent3 launched_size(const Extent3& workgroup_size, const CompileOptions& options);

c_text::Text lower(const ValidProgram& program, const LowerTarget& target);

}  // namespace muster::opencl
