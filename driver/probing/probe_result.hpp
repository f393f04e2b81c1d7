// probe_result.hpp - the result of probing a backend: its devices, or how the probe failed. Threads: values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class ProbeState : std::uint8_t {
    answered,  // possibly with no devices
    factory_failed,
    failed,  // an error, an exception, or impossible devices
    timed_out,
    // Only for isolated probes (docs/probing.md):
    crashed,       // its process ended before it answered
    unreadable,    // its process gave an answer that can't be parsed
    no_helper,     // no process could be started for it
    not_isolated,  // the backend is part of this program, so no other process can load it
};
inline constexpr ProbeState last_probe_state = ProbeState::not_isolated;
/// The enumerator's name, e.g. "timed_out".
std::string_view name(ProbeState state);

struct ProbeResult {
    ProbeState state = ProbeState::answered;
    std::vector<DeviceInfo> devices;  // by ordinal; empty unless answered
    Error error;                      // unless answered
    std::chrono::nanoseconds took{0};
    std::vector<DeviceInfo> on_request = {};  // devices that only a policy brings in (DeviceInfo::on_request)
};

/// True if a backend whose isolated probe ended in this state may be loaded and constructed in this process:
/// the probe didn't harm the other process, or the backend is in this one already.
bool may_load(ProbeState state);

/// Refuses a device with a limit of zero workgroups or invocations, because the driver divides by
/// these. Errors: unavailable.
Result<void> check_device_info(std::string_view backend, const DeviceInfo& device);
/// The device with its texts, which come from a native driver, made safe to print
/// (foundation/base/printable.hpp).
DeviceInfo printable(DeviceInfo device);
/// Refuses a probe's devices if one can't be right, or if two have the same ordinal. Errors: unavailable.
Result<void> check_device_info(std::string_view backend, const std::vector<DeviceInfo>& devices);

MUSTER_API_END
}  // namespace muster
