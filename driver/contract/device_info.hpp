// device_info.hpp - properties of devices and targets: plain values, known without a native call.
//
// A backend fills in a DeviceInfo per device when it is probed, and a Target when it is asked to describe
// one. Routing decides from these alone: a capability that isn't stated here isn't used. Units: bytes,
// counts. Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class DeviceKind : std::uint8_t { cpu, integrated_gpu, discrete_gpu, virtual_gpu, other };
std::string_view name(DeviceKind kind);

/// How certain a property of a device's arithmetic is (docs/design.md, Numeric contract): absent, seen in
/// samples, or guaranteed by the device's specification.
enum class Promise : std::uint8_t { no, sampled, promised };
std::string_view name(Promise promise);

struct Exactness {
    Promise round_to_nearest_even = Promise::no;
    Promise signed_zero_inf_nan = Promise::no;
    Promise subnormals = Promise::no;   // kept; `no`: may be flushed to zero
    Promise division = Promise::no;     // correctly rounded
    Promise square_root = Promise::no;  // correctly rounded
    Promise fma = Promise::no;          // one rounding
    /// Its functions of the math group are muster's own (math_function.hpp), with the same bits. If `no`,
    /// expand() writes them out in every program.
    Promise mathematics = Promise::no;
    /// Its sums, products, minima and maxima of floats over a subgroup are in muster's order
    /// (semantics/subgroups.hpp). If `no`, expand() writes them with shuffles in exact mode.
    Promise subgroup_order = Promise::no;
    /// True if it may run exact programs: it rounds to nearest even and preserves signed zero, Inf and NaN.
    bool exact() const { return round_to_nearest_even != Promise::no && signed_zero_inf_nan != Promise::no; }
    bool operator==(const Exactness&) const = default;
};
/// All promises that concern IEEE 754; the others stay `no`.
inline constexpr Exactness all_promised{Promise::promised, Promise::promised, Promise::promised,
                                        Promise::promised, Promise::promised, Promise::promised};

struct DeviceLimits {
    Extent3 max_workgroup_size;                   // invocations per axis
    std::uint32_t max_workgroup_invocations = 0;  // in total
    std::uint64_t max_workgroup_bytes = 0;        // of workgroup memory
    Extent3 max_workgroups;  // per axis, of one submission; the driver folds larger grids
    std::uint64_t max_storage_binding_bytes = 0;
    std::uint64_t max_uniform_binding_bytes = 0;
    std::uint32_t max_storage_bindings = 0;
    std::uint32_t max_uniform_bindings = 0;
    std::uint64_t max_private_bytes = 0;  // private and function variables of one invocation
    bool operator==(const DeviceLimits&) const = default;
};

using Uuid = std::array<std::uint8_t, 16>;
/// The UUID as 8-4-4-4-12 lower-case hexadecimal digits.
std::string to_string(const Uuid& uuid);

/// The sizes that subgroups may have: the powers of two from `least` to `most`. Both 0: there
/// are no subgroup operations.
struct SubgroupSizes {
    std::uint32_t least = 0, most = 0;
    bool operator==(const SubgroupSizes&) const = default;
};

/// The place of a device on the machine's PCI bus.
struct PciAddress {
    std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
    bool operator==(const PciAddress&) const = default;
};
/// The address as the system's tools write it: "0000:3b:00.0".
std::string to_string(const PciAddress& address);

/// Properties that help to spread work over devices. Neither routing nor any device's code depends on them,
/// so no key of stored code contains them. Each is unknown where the device's API doesn't tell it.
struct DeviceHardware {
    std::optional<std::uint32_t> compute_units;  // that run workgroups by themselves: cores, multiprocessors
    std::optional<std::uint32_t> clock_mhz;      // the highest of its compute units
    /// Free when the device was probed; Backend::free_memory() asks again.
    std::optional<std::uint64_t> free_memory_bytes;
    /// The numbers of vendor and device: PCI's, for devices on that bus.
    std::optional<std::uint32_t> vendor, device;
    std::optional<PciAddress> pci_address;
    std::optional<bool> unified_memory;       // it uses the host's memory as its own
    std::optional<bool> asynchronous_copies;  // its hardware copies while kernels run
    bool operator==(const DeviceHardware&) const = default;
};

/// A file or library that isn't on this machine, or can't be opened.
struct Missing {
    std::string message;  // a full sentence
    std::string fix;
    bool operator==(const Missing&) const = default;
};

struct DeviceInfo {
    std::uint32_t ordinal = 0;
    std::string name;  // "NVIDIA H200", "llvmpipe (LLVM 15, 256 bits)"
    std::string arch;  // as in a target: "sm_90", "x86-64-v4"
    DeviceKind kind = DeviceKind::other;
    bool software_emulated = false;  // a GPU interface on a CPU, or an interpreter: last in routing
    Uuid uuid{};                     // all zero if unknown
    std::string driver;              // the driver's name and version
    std::uint64_t memory_bytes = 0;
    std::uint32_t subgroup_size = 1;  // unless the program or the user asks for another
    SubgroupSizes subgroup_sizes;
    std::string no_subgroups;  // why there are none, if so: "it can't shuffle"
    DeviceLimits limits;
    OpSet ops;  // operations it runs natively; of the math group, those that fast mode may use
    /// Scalar types that it loads, stores and converts. What `ops` doesn't compute for f16 is
    /// written with f32's operations.
    ScalarSet scalars = core_scalars;
    Exactness exactness;
    /// Considered only where a policy names its architecture ("cpu:x86-64-v3"): a lesser machine
    /// than the one that is there.
    bool on_request = false;
    /// All that its code depends on besides program, options, name, arch, driver, ops and exactness:
    /// the backend, its build, its compiler. Part of the key under which code is kept for later
    /// processes. Empty: none is kept.
    std::string compiler;
    DeviceHardware hardware;
    /// Why it compiles nothing on this machine, if so: then it runs stored code alone, of an artifact file. A
    /// probe finds out from files, without opening a compiler.
    std::optional<Missing> no_compiler = {};
};

/// The name of a backend's device: "cuda:0"; of one on request "cpu:x86-64-v3".
inline std::string device_id(std::string_view backend, const DeviceInfo& device) {
    return std::string(backend) + ":" + (device.on_request ? device.arch : std::to_string(device.ordinal));
}

/// For probes: adds a device that can be used to `devices`, and the reason of one that is unavailable to
/// `unfit`. Any other error is returned.
template <class Device>
Result<void> add_usable(Result<Device> device, std::vector<Device>& devices,
                        std::vector<std::string>& unfit) {
    if (device)
        devices.push_back(*std::move(device));
    else if (device.error().code == ErrorCode::unavailable)
        unfit.push_back(std::move(device).error().message);
    else
        return std::unexpected(std::move(device).error());
    return {};
}

/// A machine to emit for, described by the backend: no device needed.
struct Target {
    std::string backend;                  // id
    std::string arch;                     // "sm_90", "vulkan1.2", "x86-64-v4"
    DeviceKind kind = DeviceKind::other;  // other if the architecture alone doesn't tell
    DeviceLimits limits;
    OpSet ops;
    ScalarSet scalars = core_scalars;
    Exactness exactness;
    std::uint32_t subgroup_size = 1;
    SubgroupSizes subgroup_sizes = {};
    std::string no_subgroups = {};  // as in DeviceInfo
    /// Why nothing can be emitted for it on this machine, if so. A backend that emits some of its formats all
    /// the same leaves it empty.
    std::optional<Missing> no_compiler = {};
    /// The arch of the next target of the backend that has more features, such as "vulkan1.3"; empty if none
    /// has. A program that doesn't fit the default target is emitted for the first one after it that it fits.
    std::string next = {};
    /// The text "cuda:sm_90", which parse_target() reads back (target.hpp).
    std::string to_string() const { return backend + ":" + arch; }
    bool operator==(const Target&) const = default;
};

MUSTER_API_END
}  // namespace muster
