// device_check.hpp - the verdict on a device that has run a few kernels whose results are
// known, and who reaches it.
//
//     const DeviceCheck& check = fleet.check(which, device);           // the first call runs the kernels, or finds a kept verdict
//     if (check.fails()) tell(check.failure);
//
// A DeviceChecker is what a fleet checks devices with (driver/proving/ has the usual one, docs/probing.md
// describes it). Threads: values; a checker may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

struct DeviceCheck {
    std::uint32_t passed = 0, total = 0;  // kernels that fit the device; both 0: not checked
    std::string failure = {};   // a full sentence about the first kernel that failed; empty: none did
    std::string not_done = {};  // why the device wasn't checked, a full sentence; empty: it was
    /// True if a later process would find the same. False for what may be chance: no time,
    /// no memory, a lost device.
    bool is_lasting = false;

    bool fails() const { return !failure.empty(); }
    /// For display: "checked here: 6 of 6".
    std::string to_string() const;
    bool operator==(const DeviceCheck&) const = default;
};

/// The check as text, for the cache and the answer of a helper process. Reading accepts any
/// bytes. Errors: io_failed.
std::string device_check_text(const DeviceCheck& check);
Result<DeviceCheck> read_device_check(std::string_view text);

class DeviceChecker {
  public:
    virtual ~DeviceChecker() = default;
    /// Opens the device and runs the kernels on it.
    virtual DeviceCheck run(Backend& backend, std::uint32_t ordinal) const = 0;
    /// The verdict that an earlier process kept, and keeping one. The backend's id is given.
    virtual std::optional<DeviceCheck> kept(std::string_view backend, const DeviceInfo& device) const = 0;
    virtual void keep(std::string_view backend, const DeviceInfo& device, const DeviceCheck& check) const = 0;
    /// The time that run() may take before its device counts as hanging.
    virtual std::chrono::nanoseconds budget() const { return std::chrono::seconds(20); }
};

MUSTER_API_END
}  // namespace muster
