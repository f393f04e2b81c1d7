// emit_files.hpp - writes emitted code to files, and describes it as JSON.
#pragma once

#include <string>

#include <muster/cli/command/emit.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

/// Writes the code to `path`, and its side files beside it.
Attempt<void> write_artifact(const Artifact& artifact, const std::string& path);

/// Writes one JSON line per entry: {"target": 12, "source": "saxpy.wgsl:7:5"}.
Attempt<void> write_debug_map(const Artifact& artifact, const std::string& path);

Json artifact_json(const EmitArguments& arguments, const Artifact& artifact);

/// Writes each part to a file of its own, and the order in which a host runs them to a JSON file beside them,
/// which is also returned.
Attempt<Json> write_parts(const EmitArguments& arguments, const ValidProgram& program,
                          const EmittedParts& emitted);

/// "scan.spv" and "2" as "scan.2.spv".
std::string with_infix(const std::string& path, const std::string& infix);

}  // namespace muster::cli
