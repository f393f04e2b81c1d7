// debug_map.hpp - maps a module's words back to the program, for when lower()'s own map no longer fits. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Map of a module that was changed since lowering, from its OpLines. A node is the first
/// one at the source location.
std::vector<DebugEntry> map_lines(const Program& program, std::span<const std::uint32_t> words);

/// Converts a map's byte offsets to line numbers of the disassembly, from 1; it has one line per instruction.
std::vector<DebugEntry> in_lines(std::span<const DebugEntry> map, std::span<const std::uint32_t> words);

/// A disassembly with the source's places that the map names, `; saxpy.wgsl:9:12`, in front of the lines that
/// come from them. `lines`: of in_lines().
std::string with_places(std::string_view disassembly, std::span<const DebugEntry> lines,
                        std::span<const SourceFile> files);

}  // namespace muster::vulkan
