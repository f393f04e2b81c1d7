// feature.hpp - named features of devices and targets, for policies that require them.
//
//     i32, f32, ...           a type
//     fma, sin, ...           a native operation
//     muster.grid_barrier     an extension operation
//     subgroup:32             subgroups of 32 invocations or more
//     exact                   the promises that exact programs need
//
// Threads: a value.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

struct Feature {
    struct Extension {
        std::string id;
    };
    struct Subgroup {
        std::uint32_t invocations = 1;
    };
    struct Exact {};

    std::variant<Scalar, Op, Extension, Subgroup, Exact> what;

    /// Parses a feature's name. Errors: invalid_argument, with the nearest names.
    static Result<Feature> parse(std::string_view text);
    /// The text that parse() reads back.
    std::string to_string() const;

    bool is_in(const DeviceInfo& device) const;
    bool is_in(const Target& target) const;
};

/// The names of its features: types, native operations of the math group, extensions,
/// subgroup size, exactness.
std::vector<std::string> features(const DeviceInfo& device);
std::vector<std::string> features(const Target& target);

MUSTER_API_END
}  // namespace muster
