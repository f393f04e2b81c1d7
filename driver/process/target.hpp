// target.hpp - finds targets of emission by name; no device is needed.
//
//     auto there = parse_target("cuda:sm_90");    // as the backend describes it: limits, types, operations, subgroup
//     auto here = detect_target("cuda:0");         // the target of this device: here->to_string() == "cuda:sm_89"
//     parse_target(here->to_string()) == *here    // always
//
// A target states what an architecture guarantees, so that code for it runs on every machine of that
// architecture; a device's own limits may be larger (DeviceInfo). Threads: any.
#pragma once

#include <functional>
#include <string_view>

#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Parses "BACKEND:ARCH", or "BACKEND" for its default target. Errors: invalid_argument (an invalid
/// id), not_found (no such backend, with the nearest names; no such architecture, with the known
/// ones), the backend's own.
Result<Target> parse_target(Fleet& fleet, std::string_view text);

/// Parses a target of the process's fleet.
Result<Target> parse_target(std::string_view text);

/// The target of a device of this machine: "BACKEND:ORDINAL", "BACKEND:UUID", or "BACKEND" for its
/// first one. Errors: as parse_target(), not_found (no such device), and the error of the backend's
/// probe, or of the detector.
Result<Target> detect_target(Fleet& fleet, std::string_view device);
/// The target of a device of the process's fleet.
Result<Target> detect_target(std::string_view device);

/// Finds the target of a device. `device` is what follows the colon: an ordinal or a UUID;
/// empty: the first device.
using TargetDetector = std::function<Result<Target>(std::string_view device)>;

/// Makes detect_target() ask this function for devices of a type that no backend of the process has; a
/// backend of that id, once there is one, finds its devices by itself. The target may be of any backend:
///
///     register_target_detector("npu", [](std::string_view) { return parse_target("opencl:generic"); });
///     auto here = detect_target("npu:0");
///
/// For good. Errors: invalid_argument (an invalid type, no function), conflict (the type has a detector).
Result<void> register_target_detector(std::string_view type, TargetDetector detector);

/// True if the text names a device rather than an architecture: an ordinal or a UUID follows the colon.
bool names_device(std::string_view text);

MUSTER_API_END
}  // namespace muster
