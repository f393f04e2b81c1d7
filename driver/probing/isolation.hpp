// isolation.hpp - probes a backend in a process of its own, so that a driver that crashes or hangs
// affects only its backend.
//
//     const Isolation isolation(find_probe_helper());
//     ProbeResult result = isolation.probe("vulkan", "/usr/lib/libmuster_backend_vulkan.so", 3s);
//
// The process is the helper program muster-probe, which opens the backend's file, constructs and probes the
// backend, and writes the result (probe_answer.hpp). Its failures are states of the result: crashed,
// timed_out, unreadable, no_helper. A device is checked likewise, by the same program. A backend that is part
// of the program itself is in no file that the helper could open: not_isolated. Threads: any.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <muster/driver/probing/device_check.hpp>
#include <muster/driver/probing/probe_result.hpp>

namespace muster::probing {

class Isolation {
  public:
    /// `helper`: the program's path, or why there is none (find_probe_helper()).
    explicit Isolation(Result<std::string> helper) : helper_(std::move(helper)) {}

    /// Probes a backend. `module`: the file that registers it; empty if no file does.
    ProbeResult probe(const std::string& id, const std::string& module,
                      std::chrono::nanoseconds budget) const;
    /// Checks a device (device_check.hpp); one whose process crashes, hangs or writes nonsense has failed.
    DeviceCheck check(const std::string& id, const std::string& module, const DeviceInfo& device,
                      std::chrono::nanoseconds budget) const;

  private:
    ProbeResult try_in_helper(const std::string& id, const std::string& module,
                              std::chrono::nanoseconds budget) const;

    Result<std::string> helper_;
};

/// The first argument of muster-probe for a check, before the file, the backend's id
/// and the device's ordinal.
inline constexpr const char* helper_check_option = "--check";

/// The isolation that MUSTER_PROBE asks for; null: probes run in this process. A malformed value isolates;
/// opening a session reports it.
std::shared_ptr<const Isolation> environment_isolation();

}  // namespace muster::probing
