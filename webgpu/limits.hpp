// limits.hpp - limits and features: what a device of muster's has, what WebGPU promises, and what
// a program asks for. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/webgpu/header.hpp>

namespace muster::webgpu {

/// A limit of the standard (WebGPU, section "Limits").
struct Limit {
    std::string_view name;  // the member's
    std::variant<std::uint32_t WGPULimits::*, std::uint64_t WGPULimits::*> member;
    std::uint64_t standard;     // what every device has unless more is asked for
    bool is_alignment = false;  // smaller is better

    std::uint64_t of(const WGPULimits& limits) const;
    void set(WGPULimits& limits, std::uint64_t value) const;
    /// True if the member says that no value is given.
    bool is_undefined_in(const WGPULimits& limits) const;
};
std::span<const Limit> all_limits();

/// The best that a device offers. What is about textures and rendering has the
/// standard's values: there are none.
WGPULimits limits_of(const DeviceInfo& device);
/// The limits of a device that is asked for `required`, which may be null. Errors:
/// limit_exceeded, invalid_argument.
Result<WGPULimits> granted(const WGPULimits& supported, const WGPULimits* required);

struct FeatureRow {
    WGPUFeatureName value;
    std::string_view name;  // the standard's: "shader-f16"
};
/// The features that a device offers.
std::vector<FeatureRow> features_of(const DeviceInfo& device);
/// The name of any feature; its number if it is unknown.
std::string name_of(WGPUFeatureName feature);

/// Dawn's numbers of features that this room has. Any thread may use its objects anyway.
inline constexpr auto dawn_implicit_synchronization = static_cast<WGPUFeatureName>(0x00050004);
inline constexpr auto dawn_timestamps_inside_passes = static_cast<WGPUFeatureName>(0x00050003);
/// wgpu-native's numbers of features that this room has.
inline constexpr auto native_immediates = static_cast<WGPUFeatureName>(0x00030001);
inline constexpr auto native_subgroups = static_cast<WGPUFeatureName>(0x00030021);
inline constexpr auto native_timestamps_inside_encoders = static_cast<WGPUFeatureName>(0x00030024);
inline constexpr auto native_timestamps_inside_passes = static_cast<WGPUFeatureName>(0x00030025);
inline constexpr auto native_f64 = static_cast<WGPUFeatureName>(0x0003001d);
inline constexpr auto native_i64 = static_cast<WGPUFeatureName>(0x00030026);

}  // namespace muster::webgpu
