#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/lowering/arch.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/backend-cuda/native/physical_device.hpp>
#include <muster/driver/platform/module_of.hpp>

namespace muster::cuda {
namespace {

class DeviceQuery {
  public:
    DeviceQuery(const DriverTable& table, CUdevice device) : table_(table), device_(device) {}

    Result<std::uint32_t> attribute(CUdevice_attribute which) const {
        int value = 0;
        TRY(check("cuDeviceGetAttribute",
                  [&] { return table_.cuDeviceGetAttribute(&value, which, device_); }));
        return static_cast<std::uint32_t>(std::max(value, 0));
    }
    /// The attribute, if the driver knows it.
    std::optional<std::uint32_t> known(CUdevice_attribute which) const {
        int value = 0;
        if (table_.cuDeviceGetAttribute(&value, which, device_) != CUDA_SUCCESS || value < 0)
            return std::nullopt;
        return static_cast<std::uint32_t>(value);
    }
    /// Precondition: the attributes of y and z follow that of x.
    Result<Extent3> extent(CUdevice_attribute x) const {
        const auto axis = [&](int which) { return attribute(static_cast<CUdevice_attribute>(x + which)); };
        return Extent3{TRY(axis(0)), TRY(axis(1)), TRY(axis(2))};
    }
    Result<std::string> name() const {
        std::array<char, 256> text{};
        TRY(check("cuDeviceGetName", [&] {
            return table_.cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, device_);
        }));
        return std::string(text.data());
    }
    Result<std::array<std::uint8_t, 16>> uuid() const {
        CUuuid uuid{};
        TRY(check("cuDeviceGetUuid", [&] { return table_.cuDeviceGetUuid(&uuid, device_); }));
        std::array<std::uint8_t, 16> bytes{};
        static_assert(sizeof uuid == sizeof bytes);
        std::memcpy(bytes.data(), &uuid, sizeof uuid);
        return bytes;
    }
    Result<std::uint64_t> memory_bytes() const {
        std::size_t bytes = 0;
        TRY(check("cuDeviceTotalMem", [&] { return table_.cuDeviceTotalMem(&bytes, device_); }));
        return bytes;
    }

  private:
    const DriverTable& table_;
    CUdevice device_;
};

Result<DeviceLimits> limits_of(const DeviceQuery& query, std::uint64_t memory_bytes) {
    DeviceLimits limits;
    limits.max_workgroup_size = TRY(query.extent(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
    limits.max_workgroup_invocations = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    limits.max_workgroup_bytes = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    limits.max_workgroups = TRY(query.extent(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
    limits.max_storage_binding_bytes = std::min(memory_bytes, max_storage_binding_bytes);
    limits.max_uniform_binding_bytes = 1 << 16;
    limits.max_storage_bindings = limits.max_uniform_bindings =
        64;  // so that pointer and length of each fit into a launch's parameters
    limits.max_private_bytes =
        1 << 16;  // CUDA allows more, but reserves it for every invocation that the device can run at once
    return limits;
}

/// The device's number isn't told, and free memory only in a context.
DeviceHardware hardware_of(const DeviceQuery& query, bool integrated) {
    DeviceHardware hardware;
    hardware.compute_units = query.known(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (const auto khz = query.known(CU_DEVICE_ATTRIBUTE_CLOCK_RATE); khz && *khz != 0)
        hardware.clock_mhz = *khz / 1000;
    hardware.vendor = 0x10de;
    const auto domain = query.known(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
    const auto bus = query.known(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
    const auto device = query.known(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
    if (domain && bus && device) hardware.pci_address = PciAddress{*domain, *bus, *device, 0};
    hardware.unified_memory = integrated;
    if (const auto engines = query.known(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT))
        hardware.asynchronous_copies = *engines != 0;
    return hardware;
}

Result<DeviceInfo> device_info(const Instance& instance, const DeviceQuery& query, std::uint32_t ordinal) {
    DeviceInfo info;
    info.ordinal = ordinal;
    info.name = TRY(query.name());
    info.arch = fmt::format("sm_{}{}", TRY(query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)),
                            TRY(query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)));
    const bool integrated = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED)) != 0;
    info.kind = integrated ? DeviceKind::integrated_gpu : DeviceKind::discrete_gpu;
    info.uuid = TRY(query.uuid());
    info.driver = fmt::format("NVIDIA's, for CUDA {}", version_text(instance.version()));
    static const std::string backend =
        platform::build_of_file(platform::module_of(reinterpret_cast<const void*>(&version_text)));
    info.compiler = "cuda backend, " + backend;
    info.memory_bytes = TRY(query.memory_bytes());
    info.subgroup_size = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
    if (info.subgroup_size == warp_size)
        info.subgroup_sizes = {warp_size, warp_size};
    else
        info.no_subgroups = fmt::format("its warps don't have {} threads", warp_size);
    info.limits = TRY(limits_of(query, info.memory_bytes));
    info.ops = supported_ops();
    info.scalars.set();
    // Without cooperative launches, all workgroups of a launch can't be guaranteed to run at the same time.
    if (TRY(query.attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)) == 0) info.ops.extensions.clear();
    info.exactness = exactness;
    info.hardware = hardware_of(query, integrated);
    return info;
}

Result<PhysicalDevice> query_device(const Instance& instance, std::uint32_t ordinal) {
    PhysicalDevice device;
    TRY(check("cuDeviceGet",
              [&] { return instance.table().cuDeviceGet(&device.handle, static_cast<int>(ordinal)); }));
    const DeviceQuery query(instance.table(), device.handle);
    device.info = TRY(device_info(instance, query, ordinal));
    if (TRY(query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)) == CU_COMPUTEMODE_PROHIBITED)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} is in the compute mode \"prohibited\".", device.info.name));
    device.memory_pools = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)) != 0;
    device.multiprocessors = TRY(query.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    return device;
}

}  // namespace

Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance) {
    int count = 0;
    TRY(check("cuDeviceGetCount", [&] { return instance.table().cuDeviceGetCount(&count); }));
    std::vector<PhysicalDevice> devices;
    std::vector<std::string> unfit;
    for (int which = 0; which < count; ++which)
        TRY(add_usable(query_device(instance, static_cast<std::uint32_t>(which)), devices, unfit));
    if (!devices.empty()) return devices;
    return fail(
        ErrorCode::unavailable, fmt::format("No CUDA device can be used: {}", fmt::join(unfit, " ")),
        "look at nvidia-smi -q, or emit code for another machine: muster emit PROGRAM --backend cuda");
}

}  // namespace muster::cuda
