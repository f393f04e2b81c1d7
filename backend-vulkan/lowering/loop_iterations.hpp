// loop_iterations.hpp - bounds how many iterations of its loops an invocation runs,
// and finds how a loop ends.
//
// Drivers on the processor may end an invocation's loops after a total number of iterations (docs/vulkan.md);
// a kernel that stays below it needs no watching. Threads: pure.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/backend-vulkan/lowering/large_arrays.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Upper bound of the iterations that an invocation runs in all loops together, including those that zero and
/// copy large arrays; at most 2^32. It also holds for invocations in lockstep, which take every path that one
/// of them takes. None if a loop can't be shown to end.
std::optional<std::uint64_t> most_iterations(const Program& program, const Loops& loops,
                                             const LargeArrays& large);

/// The only exit of a loop, at its beginning: a test of a counter. None if the loop has any other exit.
std::optional<LoopTest> only_guard(const Program& program, const Loops& loops, NodeId loop);

}  // namespace muster::vulkan
