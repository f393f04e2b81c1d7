// emit_format.hpp - derives the format of emitted code from its file's extension: kernel.ptx is PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/cli/command/emit.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

/// The conventional format of files with this extension (".ptx"); empty if there is none.
std::string_view format_of_extension(std::string_view extension);

/// The format and the backend to emit with. Format: --format, otherwise the extension's, otherwise, for a
/// file without an extension, the backend's first. If no backend is named: the first one that has the format.
/// Errors: invalid_argument (--format and the extension contradict each other, the backend doesn't emit the
/// extension's format, or the extension says none), not_found.
Result<EmitOptions> emit_options(const EmitArguments& arguments, Session& session);

/// The requests of an artifact: one for each target, or one for the backend's default target.
/// Errors: invalid_argument.
Result<std::vector<EmitOptions>> package_options(const EmitArguments& arguments);

}  // namespace muster::cli
