// emit_format.hpp - the format of emitted code, as its file's extension says it: kernel.ptx is PTX.
#pragma once

#include <string>
#include <string_view>

#include <muster/cli/arguments.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

/// The format that files with this extension (".ptx") hold by convention; empty where there is none.
std::string_view format_of_extension(std::string_view extension);

/// The format and the backend to emit with: --format, else the extension, else the backend's first. Where no backend is
/// named, one that has the format. Errors: invalid_argument (--format and the extension contradict each other, or the
/// backend hasn't the extension's format), not_found.
Result<EmitOptions> emit_options(const EmitArguments& arguments, Session& session);

}  // namespace muster::cli
