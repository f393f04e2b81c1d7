// program_file.hpp - loads a WGSL file or an artifact as a program.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/unproven.hpp>

namespace muster::cli {

/// The program, with its codes if the file is an artifact. Exits: usage (no such file, entry point or
/// override; a damaged artifact), bad_program (all errors in its text).
Attempt<ArtifactFile> load_file(const ProgramArguments& arguments);
/// The file's bytes, to load from more than once. Exits: usage (no such file, another digest).
Attempt<Bytes> read_program(const ProgramArguments& arguments);
Attempt<ArtifactFile> load_file(const ProgramArguments& arguments, std::span<const std::byte> bytes);
/// The bytes as the text of a WGSL file. Exits: usage (an artifact).
Attempt<std::string> text_of(const ProgramArguments& arguments, std::span<const std::byte> bytes);
/// Exits: usage (the bytes have another SHA-256 than --digest asks for).
Attempt<void> check_digest(const ProgramArguments& arguments, std::span<const std::byte> bytes);
/// Exits: usage (--constant is given, which only ONNX models have).
Attempt<void> check_no_constants(const ProgramArguments& arguments);
/// The program alone.
Attempt<ValidProgram> load_program(const ProgramArguments& arguments);
/// The program as written, which may be invalid, and why its text isn't accepted although it could be parsed.
Attempt<wgsl::UnprovenProgram> parse_program(const ProgramArguments& arguments);

}  // namespace muster::cli
