// loop_turns.hpp - how many turns an invocation takes through its loops, where the program shows it; and how a loop ends.
//
// Drivers on the processor may end an invocation's loops after so many turns in all (docs/vulkan.md), and a kernel that stays
// below that needs no watching. Threads: pure.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/backend-vulkan/lowering/large_arrays.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// No invocation takes more turns through all loops together, nor do invocations that run in step and take each way that
/// one of them takes. None where a loop isn't seen to end: those are that count a variable up or down by a constant, double
/// or halve it, and compare it with a constant in each turn.
/// With those of the loops that zero and copy large arrays.
std::optional<std::uint64_t> most_turns(const Program& program, const LargeArrays& large);

/// The one way out of a loop, at its beginning: an integer variable is compared with something.
struct OnlyGuard {
    NodeId comparison;
    std::uint32_t counter = 0;  // which of its operands is a load of the variable
    bool leaves = false;        // what it says where the loop is left
};
/// None where the loop is left in any other way.
std::optional<OnlyGuard> only_guard(const Program& program, NodeId loop);

}  // namespace muster::vulkan
