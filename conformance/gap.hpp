// gap.hpp - known gaps: cases that are known to fail on a device, each with its reason, as the author's data.
//
// A file of gaps has one a line; lines that begin with # and empty lines are ignored:
//     CASES: TEXT | REASON
//     CASES on DEVICES: TEXT | REASON
// CASES is a glob of cases' names. DEVICES is a glob of a device's id ("vulkan:0"), backend, name or driver;
// without it the gap is any device's. TEXT is part of what the failure says: a refusal, an error, or the
// first difference of a wrong result.
//     control/long_loop* on llvmpipe*: ended a loop | it ends all loops of an invocation after 65,535 turns
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/conformance/case.hpp>
#include <muster/driver/contract/device_info.hpp>

namespace muster::conformance {

struct Gap {
    std::string cases;
    std::string devices = "*";
    std::string text;
    std::string reason;
    std::string where;  // the file and line; empty if it comes from no file
};

/// Reads the lines of a file. Errors: invalid_argument, with file and line.
Result<std::vector<Gap>> parse_gaps(std::string_view text, std::string_view file);

/// Checks that each gap concerns a case of the suite. Errors: invalid_argument, for the
/// first that matches none.
Result<void> check_gaps(std::span<const Gap> gaps);

/// True if the gap concerns this case on this device of the backend.
bool concerns(const Gap& gap, const Case& test, const std::string& backend, const DeviceInfo& device);

}  // namespace muster::conformance
