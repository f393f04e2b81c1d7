// ending_loops.hpp - finds loops that certainly end.
//
// C++ lets a compiler assume that a loop without side effects ends, and so delete the loop or the code after
// it. WGSL has no such rule: an endless kernel runs until it is stopped. Loops that aren't proven to end get a
// side effect (lower_control.cpp). Threads: pure.
#pragma once

#include <muster/foundation/ir/program.hpp>

namespace muster::cuda {

/// True if the loop provably ends: every iteration tests an integer variable of type function and leaves once it
/// passes a bound or reaches 0, and only the continuing block changes it, by a constant step towards the bound
/// or by halving.
bool certainly_ends(const Program& program, NodeId loop);

/// True if every iteration has a side effect of its own: a barrier or an atomic operation.
bool has_effect(const Program& program, NodeId loop);

}  // namespace muster::cuda
