// probe_result.hpp - what became of a backend's probe.
//
// A probe that didn't answer has its state and its error, and costs its backend alone. Threads: values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

enum class ProbeState : std::uint8_t {
    answered,  // also with no device at all
    factory_failed,
    failed,  // an error, an exception, or devices that can't be
    timed_out,
    // Of isolated probes alone (isolation.hpp):
    crashed,       // its process ended before it answered
    unreadable,    // its process answered what nobody understands
    no_helper,     // no process could be started for it
    not_isolated,  // it is part of this program: no other process can load it
};
inline constexpr ProbeState last_probe_state = ProbeState::not_isolated;
/// The enumerator's name, e.g. "timed_out".
std::string_view name(ProbeState state);

struct ProbeResult {
    ProbeState state = ProbeState::answered;
    std::vector<DeviceInfo> devices;  // by ordinal; empty unless answered
    Error error;                      // unless answered
    std::chrono::nanoseconds took{0};
};

/// Whether a backend whose isolated probe came out like this may be loaded and constructed in this process: it didn't hurt
/// the other one, or it is here already.
bool may_load(ProbeState state);

/// Refuses what no device can be, a limit of no workgroup at all: whatever a backend says, the driver divides
/// by its limits. Errors: unavailable.
Result<void> believable(std::string_view backend, const DeviceInfo& device);
/// With its texts, which a driver gave, safe to show (foundation/base/printable.hpp).
DeviceInfo printable(DeviceInfo device);
/// All that a probe found: each believable, no ordinal twice.
Result<void> believable(std::string_view backend, const std::vector<DeviceInfo>& devices);

}  // namespace muster
