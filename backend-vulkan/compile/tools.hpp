// tools.hpp - SPIRV-Tools, as this room uses it. Pure: needs no loader and no device. Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

using Words = std::span<const std::uint32_t>;

/// As `spirv-val --target-env` does. Errors: compile_failed, with what it says.
Result<void> validate_words(Words words, VulkanVersion version);

/// One line per instruction, with friendly names.
Result<std::string> disassemble(Words words, VulkanVersion version);

/// spirv-opt's performance passes, those that are trusted; what they make is validated. Errors: compile_failed.
Result<std::vector<std::uint32_t>> optimise(Words words, VulkanVersion version);

}  // namespace muster::vulkan
