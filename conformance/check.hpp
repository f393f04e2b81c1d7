// check.hpp - runs the conformance cases on devices, and compares each with the interpreter,
// in exact mode bit for bit.
//
//     auto report = conformance::check({.session = {.policy = {.backends = {{"mine"}}}}});
//     if (report && report->conforms()) ...
//
// Devices are those of the session's policy and backends: linked, found as plugins, or handed to it. A case
// that overruns its time is a failure like any other: the call that doesn't return is left behind on a thread
// of its own, and the next case gets a new session. Threads: one call at a time per device; the listener is
// called on the caller's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <muster/conformance/case.hpp>
#include <muster/conformance/gap.hpp>
#include <muster/conformance/report.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::conformance {

struct Options {
    /// The devices: its policy, the environment's, its fleet and its own backends, as for a session. A device
    /// that doesn't promise exact arithmetic is checked too.
    SessionOptions session = {};
    /// The cases; none given: all of load_cases().
    std::vector<Case> cases = {};
    std::vector<Gap> gaps = {};
    /// The time of one case on one device, compiling included.
    std::chrono::nanoseconds timeout = std::chrono::seconds(20);
    /// The time for reducing the kernels of all of a device's failures; zero: they aren't reduced.
    std::chrono::nanoseconds reduction = std::chrono::seconds(30);
    /// True if the device's own division, square root, fma and subnormals are measured too.
    bool deviations = true;
};

struct Step {
    std::string device;  // "vulkan:0"
    std::string name;    // of the case; or what else is being done
    std::size_t done = 0, total = 0;
};

/// Calls that a check makes while it runs. Each member may be empty.
struct Listener {
    std::function<void(const Step&)> begins = {};
    std::function<void(const std::string& device, const CaseResult&)> ended = {};
    /// Asked before each case; true ends the check, and the report has what was done before.
    std::function<bool()> stops = {};
};

/// Errors: invalid_argument (policy, gaps, a case's text), refused (the policy leaves no device; the message
/// says why). What goes wrong on a device is in the report.
Result<Report> check(const Options& options = {}, const Listener& listener = {});

}  // namespace muster::conformance
