// program_file.hpp - loads a WGSL file as a valid program.
#pragma once

#include <muster/cli/arguments.hpp>
#include <muster/cli/exit.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cli {

/// Exits: usage (no such file, entry point or override), bad_program (all errors in its text).
Attempt<ValidProgram> load_program(const ProgramArguments& arguments);

}  // namespace muster::cli
