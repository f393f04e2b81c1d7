// program_file.hpp - a WGSL file as a valid program.
#pragma once

#include <muster/cli/arguments.hpp>
#include <muster/cli/exit.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cli {

/// Exits: usage (no such file, entry point or override), bad_program (everything that is wrong with its
/// text).
Attempt<ValidProgram> load_program(const ProgramArguments& arguments);

}  // namespace muster::cli
