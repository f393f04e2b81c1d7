// lower.hpp - lowers a ValidProgram to OpenCL C 1.2, which all later versions take, too.
//
// The kernel has three parameters for each binding, in the program's order: a buffer, the binding's offset in it and its size,
// in bytes. A kernel to be dispatched ends with two more, the origin and the whole grid (contract/backend.hpp, Launch); any
// other takes the grid of its launch. In exact mode the text turns contraction off. Pure. Threads: any.
#pragma once

#include <muster/backend_sdk.hpp>

namespace muster::opencl {

struct LowerTarget {
    CompileOptions options = {};
    bool dispatched = false;
};

/// The operations that lower() accepts: all exact operations and the math group, atomics of 64 bits, without extensions.
const OpSet& supported_ops();

c_text::Text lower(const ValidProgram& program, const LowerTarget& target);

}  // namespace muster::opencl
