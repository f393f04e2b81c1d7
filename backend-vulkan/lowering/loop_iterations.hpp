// loop_iterations.hpp - bounds how many iterations of its loops an invocation runs, and finds how a loop ends.
//
// Drivers on the processor may end an invocation's loops after a total number of iterations (docs/vulkan.md); a kernel
// that stays below it needs no watching. Threads: pure.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/backend-vulkan/lowering/large_arrays.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Upper bound of the iterations that an invocation runs in all loops together, including those that zero and copy
/// large arrays. It also holds for invocations in lockstep, which take every path that one of them takes. None if a
/// loop can't be shown to end. Recognised are loops that count a variable up or down by a constant, double it or halve
/// it, and compare it with a constant in each iteration.
std::optional<std::uint64_t> most_iterations(const Program& program, const LargeArrays& large);

/// The only exit of a loop, at its beginning: a comparison of an integer variable with something.
struct OnlyGuard {
    NodeId comparison;
    std::uint32_t counter = 0;  // index of the operand that loads the variable
    bool leaves = false;        // the comparison's result that leaves the loop
};
/// None if the loop has any other exit.
std::optional<OnlyGuard> only_guard(const Program& program, NodeId loop);

}  // namespace muster::vulkan
