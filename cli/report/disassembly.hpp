// disassembly.hpp - an artifact's codes as listings, made by the backends that they are for.
#pragma once

#include <cstddef>
#include <string>

#include <muster/cli/support/json.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/probing/fleet.hpp>

namespace muster::cli {

/// Each code's listing, or the reason why there is none. Probes nothing.
std::string disassembly_text(Fleet& fleet, const ArtifactFile& file);
/// Adds "disassembly" to each of `codes` (artifact_file_json), or "no_disassembly" with the error.
void add_disassembly(Json& codes, Fleet& fleet, const ArtifactFile& file);

}  // namespace muster::cli
