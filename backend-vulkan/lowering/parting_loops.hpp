// parting_loops.hpp - loops that invocations leave in different turns, with something that was read from memory.
//
// lavapipe (Mesa 22.3) runs the turns that others still need also for those that have left, with loads that give zero,
// and keeps what they left with only where several ways out bring different values. lower_control.cpp gives such loops a
// second way out, which nobody takes. Threads: pure.
#pragma once

#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// By node: it is a loop that invocations may leave in different turns, in which memory that they share is read, and
/// which stores to a variable that is read outside it.
std::vector<bool> parting_loops(const Program& program);

}  // namespace muster::vulkan
