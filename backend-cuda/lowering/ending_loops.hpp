// ending_loops.hpp - loops that certainly end.
//
// C++ lets a compiler take it for granted that a loop without effects ends, and delete it or what follows where it
// doesn't. WGSL doesn't: such a kernel runs until it is stopped. Loops of which it isn't certain get an effect
// (lower_control.cpp). Threads: pure.
#pragma once

#include <muster/foundation/ir/program.hpp>

namespace muster::cuda {

/// It is left where a variable of its own, which grows or shrinks by one in each turn and is stored to nowhere else in it,
/// isn't less than, or greater than, something; or where it is halved until 0.
bool certainly_ends(const Program& program, NodeId loop);

/// Each of its turns has an effect of its own: a barrier, an atomic operation.
bool has_effect(const Program& program, NodeId loop);

}  // namespace muster::cuda
