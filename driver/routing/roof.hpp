// roof.hpp - what a device has been measured to do at most, kept for routing by
// measurement (Measured, policy.hpp).
//
//     keep_roof("cuda", device, Precision::exact, {.copy_gb_s = 3900, ...});       // `muster bench` does
//     if (auto roof = kept_roof("cuda", device, Precision::exact)) ...
//
// A roof is kept for this process and, in the cache, for later ones. It counts as long as the device has the
// same name, driver, architecture and memory, and muster is the same build. Rates are in units of 10^9 a
// second, each that of the fastest samples, their 5th percentile; 0: not measured. Threads: any.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

class Verdicts;

struct Roof {
    double copy_gb_s = 0;    // bytes read plus bytes written
    double update_gb_s = 0;  // likewise, in place
    double read_gb_s = 0;
    double multiply_add_gflop_s = 0;  // f32: two operations each, fused only in fast mode
    double lone_gflop_s = 0;          // likewise, by a single workgroup of 256 invocations
    double arrivals_g_s =
        0;  // invocations at workgroup barriers, with a word of workgroup memory written and read
    double launch_us = 0;         // from the dispatch of one workgroup to the end of the wait
    double to_device_gb_s = 0;    // from host memory
    double from_device_gb_s = 0;  // to host memory
    /// How much of what these figures allow ordinary kernels attain: the geometric mean over
    /// those of `muster bench`.
    double typical_share = 1;

    double bandwidth_gb_s() const { return std::max({copy_gb_s, update_gb_s, read_gb_s}); }
    /// True if it has all that an estimate needs.
    bool is_whole() const;
    bool operator==(const Roof&) const = default;
};

/// Keeps what was measured of a backend's device, in place of what was kept before. A roof
/// that isn't whole isn't kept.
void keep_roof(std::string_view backend, const DeviceInfo& device, Precision precision, const Roof& roof);
/// The roof in this mode; none if it isn't kept.
std::optional<Roof> kept_roof(std::string_view backend, const DeviceInfo& device, Precision precision);

/// The same in another place than the process's cache, for tests.
void keep_roof(const Verdicts& in, std::string_view backend, const DeviceInfo& device, Precision precision,
               const Roof& roof);
std::optional<Roof> kept_roof(const Verdicts& in, std::string_view backend, const DeviceInfo& device,
                              Precision precision);

MUSTER_API_END
}  // namespace muster
