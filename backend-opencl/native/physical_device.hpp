// physical_device.hpp - a device's properties, read once into plain values.
#pragma once

#include <muster/backend-opencl/native/api.hpp>

namespace muster::opencl {

struct PhysicalDevice {
    std::shared_ptr<const Api> api;
    cl_device_id handle = nullptr;
    std::uint64_t max_allocation_bytes = 0;
    std::uint64_t wrapped_alignment =
        0;  // of the host's memory that it uses in place; 0: it has memory of its own
    bool tells_free_memory = false;
    DeviceInfo info;

    /// True if the device uses this memory of the host's in place; others have, or make, a copy.
    bool can_wrap(std::span<std::byte> host) const;
};

/// The devices of all platforms that can be used, in the loader's order: an ordinal counts all
/// of them. Errors: not_found (no platform, or none with a device), unavailable (none can be
/// used; the message says why).
Result<std::vector<PhysicalDevice>> physical_devices(const std::shared_ptr<const Api>& api);

/// The device's free memory now; none if its driver doesn't tell.
std::optional<std::uint64_t> free_memory(const PhysicalDevice& device);

/// A version of OpenCL, from the text that CL_DEVICE_VERSION gives, "OpenCL 1.2 pocl ...": "1.2". Empty if it
/// is older than 1.2 or no such text.
std::string version_of(const std::string& text);

/// The promises of f32 arithmetic, from CL_DEVICE_SINGLE_FP_CONFIG.
Exactness exactness_of(cl_device_fp_config config);
/// The scalars of a device: f64 if CL_DEVICE_DOUBLE_FP_CONFIG, 0 without doubles, has what they need.
ScalarSet scalars_of(cl_device_fp_config doubles);

}  // namespace muster::opencl
