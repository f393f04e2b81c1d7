// divergent_loops.hpp - finds loops that invocations leave in different iterations, with
// something read from memory.
//
// lavapipe (Mesa 22.3) runs the iterations that others still need also for invocations that have left, with
// loads that give zero, and keeps the values they left with only if several exits bring different values.
// lower_control.cpp gives such loops a second exit that is never taken. Threads: pure.
#pragma once

#include <vector>

#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// By node: true for a loop that invocations may leave in different iterations, that reads memory they share,
/// and that stores to a variable that is read outside it.
std::vector<bool> divergent_loops(const Program& program, const Loops& loops);

}  // namespace muster::vulkan
