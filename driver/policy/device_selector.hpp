// device_selector.hpp - an entry of a policy's lists: a backend, or one of its devices.
//
//     cuda          every device of the backend
//     cuda:1        the device with this ordinal, as Candidate::id() and `muster backends` print it
//     cpu:x86-64-v3 the device on request with this architecture (DeviceInfo::on_request)
//     vulkan:6d657361-3232-2e33-2e36-000000000000     the device with this UUID, written in full
//
// Ordinals follow the order in which a driver lists its devices, and change with it; a UUID stays. If several
// devices of a backend share a UUID (two drivers for one GPU), it names all of them. Threads: a value.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::policy {

struct DeviceSelector {
    struct Any {
        bool operator==(const Any&) const = default;
    };

    struct Arch {
        std::string name;
        bool operator==(const Arch&) const = default;
    };

    std::string backend;
    std::variant<Any, std::uint32_t, Uuid, Arch> device = {};

    /// Parses an entry. Errors: invalid_argument, if the text can't be a backend's id, an ordinal,
    /// an architecture or a UUID.
    static Result<DeviceSelector> parse(std::string_view text);
    /// The text that parse() reads back.
    std::string to_string() const;

    bool names_a_device() const { return !std::holds_alternative<Any>(device); }
    /// True if this selects the device `info` of the backend `of`.
    bool matches(std::string_view of, const DeviceInfo& info) const;
    bool operator==(const DeviceSelector&) const = default;
};

}  // namespace muster::policy
