// overwritten.hpp - workgroup variables of which every word is written before anything is read, so that a workgroup
// needn't zero them first.
//
// Seen are arrays, also of arrays, of which each invocation stores whole elements by its own ids before any other access,
// so that together they reach every element, and then meet at a workgroup barrier. Threads: pure.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// What a backend's invocations wait for.
enum class WorkgroupOrder : std::uint8_t {
    at_barriers,  // each other at workgroup barriers, and nowhere else
    in_regions,   // also before each construct that has a barrier in it
};

/// `variable`: in the workgroup address space.
bool is_overwritten_first(const Program& program, VariableId variable,
                          WorkgroupOrder order = WorkgroupOrder::at_barriers);

}  // namespace muster
