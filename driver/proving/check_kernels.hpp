// check_kernels.hpp - the kernels that a device runs before automatic routing trusts it: arithmetic, memory,
// control flow, barriers and atomics. Internal to driver/.
//
// Their results are the same on every device that runs them as docs/design.md says. They are small, so that
// compiling and running all of them takes well under a second. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/base/digest.hpp>

namespace muster::proving {

/// A kernel reads `input`, the words of check_input(), and writes `output`, which holds zeros before. A
/// uniform, if it has one, is check_settings.
struct CheckKernel {
    std::string_view name;  // of its entry point
    std::string_view text;  // WGSL
    std::uint32_t output_words = 0;
    std::uint32_t workgroups = 0;
};

std::span<const CheckKernel> check_kernels();

/// Words of all magnitudes, powers of two and their neighbours among them.
std::vector<std::uint32_t> check_input();
inline constexpr std::uint32_t check_settings[4] = {101, 3, 0, 7};

/// Identifies kernels and data: a verdict counts for the ones with which it was reached.
const Digest& digest_of_checks();

}  // namespace muster::proving
