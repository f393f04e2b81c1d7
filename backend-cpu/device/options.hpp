// options.hpp - how a CPU device is to be: as the machine likes it, or as a test asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// For tests, which want each width on every machine, and less of a machine than they have.
struct CpuOptions {
    std::string id = "cpu";
    std::uint32_t width =
        0;  // invocations that go together, a power of two up to 64; 0: as the machine likes it
    std::string arch = {};  // compile for this level, and nothing beyond it; empty: for the machine at hand
    std::uint32_t threads = 0;  // 0: as many as the process may use cores
};

/// The value of the compile spec "width". Errors: invalid_argument.
Result<std::uint32_t> parse_width(std::string_view text);

}  // namespace muster::cpu
