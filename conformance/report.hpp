// report.hpp - what a check found, as plain data.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::conformance {

enum class CaseOutcome : std::uint8_t {
    passed,         // the interpreter's bits
    beyond_limits,  // refused, because the case needs more than the device has
    known_gap,      // fails as the list of gaps says
    closed_gap,     // listed as a gap, but passes: the list is wrong
    failed,
};
std::string_view name(CaseOutcome outcome);

enum class Fault : std::uint8_t {
    none,
    wrong_result,
    refused,    // the route doesn't execute it on this device
    error,      // compiling or running it failed
    timed_out,  // it didn't end in time; its device was abandoned, and opened anew for the next case
};
std::string_view name(Fault fault);

struct CaseResult {
    std::string name;   // "integers/signed_division"
    std::string shows;  // what the case shows
    CaseOutcome outcome = CaseOutcome::passed;
    Fault fault = Fault::none;
    std::string text;    // the first difference, or the error
    std::string reason;  // known_gap and closed_gap: the list's reason
    std::string where;   // known_gap and closed_gap: the list's file and line
    /// The smallest kernel found that shows the fault: a case of its own, with its data. Empty if none was
    /// looked for, or if the case's own kernel is the smallest.
    std::string kernel;
    std::string text_of_kernel;  // the kernel's own first difference or error
    std::chrono::nanoseconds took{0};
};

/// Measured results of the device's own operation, beside the device's promise. Exact programs don't see
/// them: operations that a device doesn't promise are computed with others there.
struct Deviation {
    std::string operation;  // "x / y", "sqrt(x)", "fma(x, y, z)", "subnormals"
    Promise promise = Promise::no;
    Precision mode = Precision::exact;  // fast, if exact mode doesn't use the device's own operation
    std::uint64_t inputs = 0, differing = 0;
    double largest_ulp = 0;  // the largest error, in units of the last place; of fma, in those of the product
    std::string not_measured;  // the reason, if it couldn't be measured; then there are no numbers
};

/// The cases of one folder, counted by outcome.
struct Behaviour {
    std::string name;  // "integers"
    std::size_t cases = 0, passed = 0, beyond_limits = 0, known_gaps = 0;
    std::size_t failed = 0;  // closed gaps included
};

struct DeviceReport {
    std::string id;  // "vulkan:0"
    std::string backend;
    DeviceInfo info;
    std::vector<CaseResult> cases;
    std::vector<Deviation> deviations;
    std::chrono::nanoseconds took{0};

    std::size_t count(CaseOutcome outcome) const;
    /// In the order of the cases.
    std::vector<Behaviour> behaviours() const;
    /// True if no case failed and no gap is closed.
    bool conforms() const;
};

struct Report {
    std::vector<DeviceReport> devices;
    std::size_t left_out = 0;  // cases, of all devices, that didn't run because the check was ended
    /// True if every device conforms and no case was left out.
    bool conforms() const;
};

}  // namespace muster::conformance
