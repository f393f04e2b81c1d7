// program_file.hpp - loads a WGSL file or an artifact as a program.
#pragma once

#include <string>

#include <muster/cli/arguments.hpp>
#include <muster/cli/exit.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cli {

/// The program, with its codes if the file is an artifact. Exits: usage (no such file, entry point or override; a damaged
/// artifact), bad_program (all errors in its text).
Attempt<ArtifactFile> load_file(const ProgramArguments& arguments);
/// The text of a WGSL file. Exits: usage (no such file, an artifact).
Attempt<std::string> load_text(const ProgramArguments& arguments);
/// The program alone.
Attempt<ValidProgram> load_program(const ProgramArguments& arguments);
/// The program as written, which may be invalid.
Attempt<Program> parse_program(const ProgramArguments& arguments);

}  // namespace muster::cli
