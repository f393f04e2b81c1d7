// copy_kernels.hpp - the kernels that copy and fill on devices without transfers of their own
// (Device::has_transfers). Internal to driver/.
#pragma once

#include <array>
#include <cstdint>

#include <muster/foundation/validate/validate.hpp>

namespace muster {

constexpr std::uint32_t copy_workgroup_size = 256;

/// Their first binding: the first word of the source, that of the target, the number of words, the word to
/// fill with. Each invocation moves one word.
using CopyRange = std::array<std::uint32_t, 4>;

// They throw std::bad_alloc without memory.
const ValidProgram& copy_words();  // range, source, target
/// Copies within one buffer, which a kernel can't bind twice if it writes to it: range, words.
const ValidProgram& copy_words_within();
const ValidProgram& fill_words();  // range, words

}  // namespace muster
