// tools.hpp - the functions of SPIRV-Tools that the backend uses. Pure: needs no loader and
// no device. Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

using Words = std::span<const std::uint32_t>;

/// Validates as `spirv-val --target-env` does. Errors: compile_failed, with the validator's messages.
Result<void> validate_words(Words words, VulkanVersion version);

/// One line per instruction, with friendly names.
Result<std::string> disassemble(Words words, VulkanVersion version);

/// Runs spirv-opt's performance passes, except those that can't be trusted, and validates the result. Errors:
/// compile_failed.
Result<std::vector<std::uint32_t>> optimise(Words words, VulkanVersion version);

}  // namespace muster::vulkan
