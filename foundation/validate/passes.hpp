// passes.hpp - the passes of validate(), one for each kind of property that it proves. Internal to validate.
//
// The passes run in this order and each relies on those before it having found nothing: validation stops
// after the first pass that finds faults.
#pragma once

#include <muster/foundation/validate/faults.hpp>

namespace muster::validation {

/// Ids, payloads and ranges lie inside the arenas; operands come before their users;
/// node and block counts fit.
void check_references(const Program& program, Faults& faults);
/// Blocks nest as program.hpp describes; jumps have targets and end their blocks; values and function
/// variables are used only where they are visible; references are used only as places.
void check_structure(const Program& program, Faults& faults);
/// Loads, stores, atomics and the operations of grid_barrier.hpp fit the address space, access
/// mode and type of the place.
void check_memory(const Program& program, Faults& faults);
/// Operand and result types fit each operation; constants and composites have the words and parts of their
/// type.
void check_types(const Program& program, Faults& faults);
/// Workgroup size, variables by address space, bindings, host-shareable types and their layout.
void check_interface(const Program& program, Faults& faults);
/// The limits of program_limits.hpp hold; the members of structures don't overlap.
void check_sizes(const Program& program, Faults& faults);
/// Barriers are in control flow that is uniform over the workgroup, subgroup operations in control flow that
/// is uniform over the subgroup unless they may diverge; grid barriers are in control flow that is uniform
/// over the grid, and grid_uniform_loads directly follow them.
void check_barriers(const Program& program, Faults& faults);

}  // namespace muster::validation
