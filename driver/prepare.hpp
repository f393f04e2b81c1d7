// prepare.hpp - what the driver does to a program before a backend compiles it. Internal to driver/.
#pragma once

#include <muster/driver/backend.hpp>
#include <muster/foundation/result.hpp>
#include <muster/foundation/validate.hpp>

namespace muster {

/// The program with all that a device of these operations lacks written in those it has: in exact mode the
/// whole math group, in fast mode what isn't among `ops`. Errors: limit_exceeded (too large once expanded).
Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options);

}  // namespace muster
