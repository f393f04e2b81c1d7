// prepare.hpp - prepares a program for compilation by a backend: expansion and checks of compile
// specs. Internal to driver/.
#pragma once

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::routing {

/// The operations of a device that may occur in a program that it compiles. In exact mode some need a
/// promise of the device, or samples that show the same: the math group, division (and rem, which divides),
/// square root and fma of f32.
OpSet native_ops(const OpSet& ops, const Exactness& exactness, const CompileOptions& options);

/// Expands operations that aren't native into those that are. Errors: limit_exceeded
/// (too large once expanded).
Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options);

/// The options with the size of subgroups to compile for: the program's, the user's, or
/// else `usual`, the device's.
CompileOptions with_subgroup_size(CompileOptions options, const Program& program, std::uint32_t usual);

enum class SpecUse : std::uint8_t { to_run, to_emit };

/// Refuses compile specs that the backend doesn't declare, or doesn't declare for this use.
/// Errors: invalid_argument.
Result<void> check_specs(Backend& backend, const Specs& specs, SpecUse use);

}  // namespace muster::routing
