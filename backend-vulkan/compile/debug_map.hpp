// debug_map.hpp - from a module's words back to the program, where lower()'s own map no longer fits. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Of a module that was changed since: what its OpLines say. A node is the first one that stands at the place.
std::vector<DebugEntry> map_lines(const Program& program, std::span<const std::uint32_t> words);

/// With byte offsets turned into lines, counted from 1, of the disassembly, where each instruction has one.
std::vector<DebugEntry> in_lines(std::span<const DebugEntry> map, std::span<const std::uint32_t> words);

}  // namespace muster::vulkan
