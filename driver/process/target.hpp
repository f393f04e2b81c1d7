// target.hpp - machines to emit code for, by name: no device is needed.
//
//     auto there = parse_target("cuda:sm_90");    // as the backend describes it: limits, types, operations, subgroup
//     auto here = detect_target("cuda:0");         // what this device is, as a target: here->to_string() == "cuda:sm_89"
//     parse_target(here->to_string()) == *here    // always
//
// A target is what an arch promises, so that code for it runs on every machine of that arch; the device's own limits may be
// larger (DeviceInfo). Threads: any.
#pragma once

#include <string_view>

#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// "BACKEND:ARCH", or "BACKEND" for its default target. Errors: invalid_argument (what can't be an id), not_found (no such
/// backend, with the nearest names; no such arch, with those that there are), the backend's own.
Result<Target> parse_target(Fleet& fleet, std::string_view text);

/// Of the process's fleet.
Result<Target> parse_target(std::string_view text);

/// "BACKEND:ORDINAL" or "BACKEND:UUID": a device that is here; "BACKEND": its first one. Errors: as above, not_found (no such
/// device), and why the backend has none.
Result<Target> detect_target(Fleet& fleet, std::string_view device);
/// Of the process's fleet.
Result<Target> detect_target(std::string_view device);

/// Whether the text names a device rather than an arch: an ordinal or a UUID stands behind the colon.
bool names_device(std::string_view text);

}  // namespace muster
