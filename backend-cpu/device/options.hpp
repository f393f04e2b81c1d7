// options.hpp - how a CPU device is set up: by default for this machine, or as a test asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// Options for tests, which exercise each width on every machine, and less than the machine offers; and debug_info.
struct CpuOptions {
    std::string id = "cpu";
    std::uint32_t width = 0;    // SIMD width, in invocations, a power of two up to 64; 0: the machine's
    std::string arch = {};      // compile for this level only; empty: for all that this machine has
    std::uint32_t ordinal = 0;  // 0: the machine; from 1 on, its lesser levels, on request
    bool debug_info = false;    // code is loaded as libraries (native/code_library.hpp): MUSTER_DEBUG_INFO
    bool quick = false;         // quick code, wherever there is some
    std::uint32_t threads = 0;  // 0: as many as the process may use cores
};

/// The value of the compile spec "width". Errors: invalid_argument.
Result<std::uint32_t> parse_width(std::string_view text);

}  // namespace muster::cpu
