// prepare.hpp - what the driver does to a program before a backend compiles it. Internal to driver/.
#pragma once

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// The operations of a device that may stand in what it compiles. In exact mode each of these needs a promise of
/// the device, or a sample that shows the same: the math group, division (and rem, which divides), square root and
/// fma of f32.
OpSet native_ops(const OpSet& ops, const Exactness& exactness, const CompileOptions& options);

/// The program with all that isn't among the native operations written in those that are. Errors:
/// limit_exceeded (too large once expanded).
Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options);

/// Compiles for a device at hand, expanded for it. Errors: those of expand_for() and the device.
Result<Artifact> compile_for(Device& device, const ValidProgram& program, const CompileOptions& options);

enum class SpecUse : std::uint8_t { to_run, to_emit };

/// Refuses what the backend doesn't declare, or not for this use. Errors: invalid_argument.
Result<void> check_specs(Backend& backend, const Specs& specs, SpecUse use);

}  // namespace muster
