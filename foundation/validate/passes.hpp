// passes.hpp - what validate() proves, one pass each. Internal to validate.
//
// Each pass may rely on the ones before it having found nothing: they run in this order, and validation stops
// after the first pass that finds faults.
#pragma once

#include <muster/foundation/validate/faults.hpp>

namespace muster::validation {

/// Ids, payloads and ranges lie inside the arenas; operands come before their users; node and block counts
/// fit.
void check_references(const Program& program, Faults& faults);
/// Blocks nest as program.hpp says; jumps have targets and end their blocks; values and function variables
/// are used where they are visible; references are used as places only.
void check_structure(const Program& program, Faults& faults);
/// Loads, stores, atomics and grid_barrier.hpp's operations fit the address space, access mode and type of the place.
void check_memory(const Program& program, Faults& faults);
/// Operand and result types fit each operation; constants and composites have the words and parts of their
/// type.
void check_types(const Program& program, Faults& faults);
/// Workgroup size, variables by address space, bindings, host-shareable types and their layout.
void check_interface(const Program& program, Faults& faults);
/// The limits of program_limits.hpp hold; structures have their members side by side.
void check_sizes(const Program& program, Faults& faults);
/// Barriers stand in control flow that is uniform over the workgroup; grid barriers, over the grid, with the loads
/// that belong to them behind them.
void check_barriers(const Program& program, Faults& faults);

}  // namespace muster::validation
