// artifact_report.hpp - what an artifact holds, and which of its codes this machine
// takes, as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <muster/cli/support/json.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/probing/fleet.hpp>

namespace muster::cli {

/// The program, its bindings, and a line for each code. `bytes`: of the whole file.
std::string artifact_file_text(const ArtifactFile& file, const std::string& path,
                               std::span<const std::byte> bytes);
Json artifact_file_json(const ArtifactFile& file, const std::string& path, std::span<const std::byte> bytes);

/// A C++ header with a function that returns the file's bytes.
std::string artifact_header(const ArtifactFile& file, std::span<const std::byte> bytes,
                            const std::string& function = {});

/// A line for each entry of each code's debug map: "cpu:x86-64-v3 +0x40  saxpy.wgsl:7:5".
std::string debug_map_text(const ArtifactFile& file);

/// A line for each code: the devices that take it, or why none does. Probes the
/// backends that the codes are for.
std::string fits_text(Fleet& fleet, const ArtifactFile& file);
Json fits_json(Fleet& fleet, const ArtifactFile& file);

}  // namespace muster::cli
