// subgroup.hpp - carries out an operation for the invocations of a subgroup that take part in it. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/interpreter/code.hpp>

namespace muster::interpreter {

/// By number in the subgroup: the invocation's frame, or null if it doesn't take part.
using ActiveFrames = std::vector<std::uint32_t*>;

/// Writes the operation's result to each frame. Findings name the invocation that the recorder has as current
/// as the subgroup's first.
void run_subgroup(const Instruction& operation, const ActiveFrames& active, const InterpreterCode::Data& code,
                  const Machine& machine);

}  // namespace muster::interpreter
