// overwritten.hpp - workgroup variables of which every word is written before anything is read, so that a workgroup
// needn't zero them first.
//
// Seen are arrays of which each invocation stores whole elements by its own ids, at the workgroup's level and before any
// other access, so that together they reach every element. Threads: pure.
#pragma once

#include <muster/backend-cpu/compiler/plan.hpp>
#include <muster/foundation/program.hpp>

namespace muster::cpu {

/// `variable`: in the workgroup address space.
bool is_overwritten_first(const Program& program, const Plan& plan, VariableId variable);

}  // namespace muster::cpu
