// overwritten.hpp - finds workgroup variables whose every word is written before anything is read, so that
// the workgroup needn't zero them first.
//
// Recognises arrays, also nested ones, of which each invocation stores whole elements, indexed by its own
// ids, before any other access, such that all invocations together write every element and then meet at a
// workgroup barrier. Threads: pure.
#pragma once

#include <cstdint>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The points at which a backend's invocations wait for each other.
enum class WorkgroupOrder : std::uint8_t {
    at_barriers,  // only at workgroup barriers
    in_regions,   // also before each construct that contains a barrier
};

/// Precondition: `variable` is in the workgroup address space.
bool is_overwritten_first(const Program& program, VariableId variable,
                          WorkgroupOrder order = WorkgroupOrder::at_barriers);

MUSTER_API_END
}  // namespace muster
