// overwritten.hpp - workgroup variables of which every word is written before anything is read, so that a workgroup
// needn't zero them first.
//
// Seen are arrays, also of arrays, of which each invocation stores whole elements by its own ids before any other access,
// so that together they reach every element, and then meet at a barrier. Threads: pure.
#pragma once

#include <muster/foundation/program.hpp>

namespace muster::vulkan {

/// `variable`: in the workgroup address space.
bool is_overwritten_first(const Program& program, VariableId variable);

}  // namespace muster::vulkan
