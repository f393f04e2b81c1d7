#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-opencl/lowering/lower.hpp>
#include <muster/backend-opencl/native/physical_device.hpp>

namespace muster::opencl {
namespace {

/// The bytes of arguments that a binding takes (lower.hpp), and those of origin and grid.
constexpr std::size_t bytes_per_binding = 24, bytes_of_grid = 32;

/// Smallest memory of the caller's that is used in place: to copy less takes no longer than to
/// map it around each launch.
constexpr std::uint64_t least_wrapped_bytes = std::uint64_t{64} << 10;
/// GPUs ask of memory that they use in place that it begins at a page, and has whole cache lines
/// (Intel's guides say so).
constexpr std::uint64_t gpu_page = 4096, gpu_line = 64;

class DeviceQuery {
  public:
    DeviceQuery(const Api& api, cl_device_id device) : api_(api), device_(device) {}

    template <class T>
    Result<T> number(cl_device_info which) const {
        T value{};
        TRY(api_.clGetDeviceInfo(device_, which, sizeof value, &value, nullptr));
        return value;
    }
    template <class T>
    Result<std::vector<T>> list(cl_device_info which) const {
        std::size_t bytes = 0;
        TRY(api_.clGetDeviceInfo(device_, which, 0, nullptr, &bytes));
        std::vector<T> all(bytes / sizeof(T));
        TRY(api_.clGetDeviceInfo(device_, which, bytes, all.data(), nullptr));
        return all;
    }
    Result<std::string> text(cl_device_info which) const {
        const std::vector<char> all = TRY(list<char>(which));
        std::string value(all.begin(), all.end());
        while (!value.empty() && (value.back() == '\0' || value.back() == ' ')) value.pop_back();
        return value;
    }

  private:
    const Api& api_;
    cl_device_id device_;
};

DeviceKind kind_of(cl_device_type type, bool shares_memory) {
    if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::cpu;
    if (type & CL_DEVICE_TYPE_GPU)
        return shares_memory ? DeviceKind::integrated_gpu : DeviceKind::discrete_gpu;
    return DeviceKind::other;
}

Result<DeviceLimits> limits_of(const DeviceQuery& query, bool is_processor) {
    const auto sizes = TRY((query.number<std::array<std::size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES)));
    const auto fitting = [](std::uint64_t value) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
    };
    const std::size_t arguments = TRY(query.number<std::size_t>(CL_DEVICE_MAX_PARAMETER_SIZE));
    const auto bindings = static_cast<std::uint32_t>(
        std::min<std::size_t>((arguments - std::min(arguments, bytes_of_grid)) / bytes_per_binding, 128));
    DeviceLimits limits;
    limits.max_workgroup_size = {fitting(sizes[0]), fitting(sizes[1]), fitting(sizes[2])};
    limits.max_workgroup_invocations = fitting(TRY(query.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE)));
    limits.max_workgroup_bytes = TRY(query.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE));
    limits.max_workgroups = {INT32_MAX, 65535, 65535};  // OpenCL has no such limit, but GPUs have
    limits.max_storage_binding_bytes =
        std::min<std::uint64_t>(TRY(query.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE)),
                                (std::uint64_t{8} << 30) - 4);  // so that no negative index is within bounds
    limits.max_uniform_binding_bytes = 1 << 16;
    // Kernels have one list of arguments, which storage takes more of.
    limits.max_uniform_bindings = bindings / 3;
    limits.max_storage_bindings = bindings - limits.max_uniform_bindings;
    limits.max_private_bytes = 1 << 16;  // OpenCL has no such limit
    if (is_processor) {  // such drivers keep the variables of a whole workgroup on the stack of one thread
        limits.max_workgroup_invocations = std::min(limits.max_workgroup_invocations, 1024u);
        limits.max_private_bytes = 1 << 12;
    }
    return limits;
}

/// Tells the sizes of subgroups that a kernel can require.
Result<void> tell_subgroups(const DeviceQuery& query, DeviceInfo& info) {
    const auto sizes = TRY(query.list<std::size_t>(CL_DEVICE_SUB_GROUP_SIZES_INTEL));
    std::vector<std::uint32_t> usable;
    for (const std::size_t size : sizes)
        if (size <= limits::most_subgroup && limits::is_subgroup_size(static_cast<std::uint32_t>(size)))
            usable.push_back(static_cast<std::uint32_t>(size));
    if (usable.empty()) {
        info.no_subgroups = fmt::format("their sizes are {}, and not {} to {}", fmt::join(sizes, ", "),
                                        limits::least_subgroup, limits::most_subgroup);
        return {};
    }
    const auto [least, most] = std::ranges::minmax(usable);
    info.subgroup_sizes = {least, most};
    info.subgroup_size = std::clamp(16u, least, most);
    return {};
}

// Properties of extensions, whose headers may be older, and of which a driver may know only some.
constexpr cl_device_info pci_bus_info = 0x410f;                              // cl_khr_pci_bus_info
constexpr cl_device_info free_memory_amd = 0x4039, pci_number_amd = 0x4034;  // cl_amd_device_attribute_query
constexpr cl_device_info pci_bus_nv = 0x4008, pci_slot_nv = 0x4009, pci_domain_nv = 0x400a;  // cl_nv_...
constexpr cl_device_info copies_nv = 0x4004;     // ..._device_attribute_query
constexpr cl_device_info number_intel = 0x4251;  // cl_intel_device_attribute_query

/// The property, if the driver knows it.
template <class T>
std::optional<T> known(const DeviceQuery& query, cl_device_info which) {
    const auto value = query.number<T>(which);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<PciAddress> pci_address_of(const DeviceQuery& query, std::string_view extensions) {
    if (extensions.contains("cl_khr_pci_bus_info"))
        if (const auto at = known<std::array<cl_uint, 4>>(query, pci_bus_info))
            return PciAddress{(*at)[0], (*at)[1], (*at)[2], (*at)[3]};
    if (!extensions.contains("cl_nv_device_attribute_query")) return std::nullopt;
    const auto domain = known<cl_uint>(query, pci_domain_nv), bus = known<cl_uint>(query, pci_bus_nv);
    const auto slot = known<cl_uint>(query, pci_slot_nv);  // device and function
    if (!domain || !bus || !slot) return std::nullopt;
    return PciAddress{*domain, *bus, *slot >> 3, *slot & 7};
}

DeviceHardware hardware_of(const DeviceQuery& query, std::string_view extensions, bool is_processor,
                           bool shares_memory) {
    const auto nonzero = [&](cl_device_info which) {
        const auto value = known<cl_uint>(query, which);
        return value && *value != 0 ? value : std::nullopt;
    };
    DeviceHardware hardware;
    hardware.compute_units = nonzero(CL_DEVICE_MAX_COMPUTE_UNITS);
    hardware.clock_mhz = nonzero(CL_DEVICE_MAX_CLOCK_FREQUENCY);
    hardware.vendor = nonzero(CL_DEVICE_VENDOR_ID);
    if (extensions.contains("cl_intel_device_attribute_query")) hardware.device = nonzero(number_intel);
    if (extensions.contains("cl_amd_device_attribute_query")) hardware.device = nonzero(pci_number_amd);
    hardware.pci_address = pci_address_of(query, extensions);
    hardware.unified_memory = shares_memory;
    if (is_processor)
        hardware.asynchronous_copies = false;
    else if (extensions.contains("cl_nv_device_attribute_query"))
        if (const auto copies = known<cl_bool>(query, copies_nv))
            hardware.asynchronous_copies = *copies != CL_FALSE;
    return hardware;
}

Result<PhysicalDevice> query_device(const std::shared_ptr<const Api>& api, cl_device_id handle) {
    const DeviceQuery query(*api, handle);
    PhysicalDevice device{.api = api, .handle = handle};
    DeviceInfo& info = device.info;
    info.name = TRY(query.text(CL_DEVICE_NAME));
    const std::string version = TRY(query.text(CL_DEVICE_VERSION));
    info.arch = version_of(version);
    const auto unfit = [&](std::string_view why) {
        return fail(ErrorCode::unavailable, fmt::format("{} {}.", info.name, why));
    };
    if (info.arch.empty()) return unfit(fmt::format("knows {} only", version));
    if (!TRY(query.number<cl_bool>(CL_DEVICE_AVAILABLE))) return unfit("isn't available");
    if (!TRY(query.number<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE))) return unfit("has no compiler");
    if (!TRY(query.number<cl_bool>(CL_DEVICE_ENDIAN_LITTLE))) return unfit("isn't little-endian");
    const bool shares_memory = TRY(query.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY)) != CL_FALSE;
    info.kind = kind_of(TRY(query.number<cl_device_type>(CL_DEVICE_TYPE)), shares_memory);
    const std::uint64_t aligned = TRY(query.number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8;
    if (shares_memory)
        device.wrapped_alignment = info.kind == DeviceKind::cpu ? aligned : std::max(aligned, gpu_page);
    info.software_emulated = info.kind == DeviceKind::cpu;
    info.driver = fmt::format("{} {}", TRY(query.text(CL_DEVICE_VENDOR)), TRY(query.text(CL_DRIVER_VERSION)));
    info.memory_bytes = TRY(query.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE));
    info.limits = TRY(limits_of(query, info.kind == DeviceKind::cpu));
    const std::string extensions = TRY(query.text(CL_DEVICE_EXTENSIONS));
    const auto has = [&](std::string_view name) { return extensions.find(name) != std::string::npos; };
    if (has("cl_khr_device_uuid")) info.uuid = TRY(query.number<Uuid>(CL_DEVICE_UUID_KHR));
    for (const std::string_view name :
         {"cl_khr_subgroup_shuffle", "cl_khr_subgroup_ballot", "cl_intel_required_subgroup_size"})
        if (!has(name)) info.no_subgroups = fmt::format("it has no {}", name);
    if (info.no_subgroups.empty()) TRY(tell_subgroups(query, info));
    info.ops = supported_ops();
    info.ops.wide_atomics = has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics");
    info.scalars = scalars_of(TRY(query.number<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG)));
    info.exactness = exactness_of(TRY(query.number<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG)));
    info.hardware = hardware_of(query, extensions, info.kind == DeviceKind::cpu, shares_memory);
    device.tells_free_memory = has("cl_amd_device_attribute_query");
    info.hardware.free_memory_bytes = free_memory(device);
    device.max_allocation_bytes = TRY(query.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    return device;
}

/// The list that a function gives in two steps, first its length, of what `arguments` say.
template <class T, class Pointer, class... Arguments>
Result<std::vector<T>> list(const Function<Pointer>& function, Arguments... arguments) {
    cl_uint count = 0;
    auto counted = function(arguments..., 0, nullptr, &count);
    if (!counted && counted.error().code == ErrorCode::not_found) return std::vector<T>{};
    TRY(std::move(counted));
    std::vector<T> all(count);
    TRY(function(arguments..., count, all.data(), nullptr));
    return all;
}

}  // namespace

bool PhysicalDevice::can_wrap(std::span<std::byte> host) const {
    if (wrapped_alignment == 0 || host.size() < least_wrapped_bytes || host.size() > max_allocation_bytes)
        return false;
    return reinterpret_cast<std::uintptr_t>(host.data()) % wrapped_alignment == 0 &&
           (info.kind == DeviceKind::cpu || host.size() % gpu_line == 0);
}

std::optional<std::uint64_t> free_memory(const PhysicalDevice& device) {
    if (!device.tells_free_memory) return std::nullopt;
    // In KiB: all that is free, then the largest block.
    const auto free =
        known<std::array<std::size_t, 2>>(DeviceQuery(*device.api, device.handle), free_memory_amd);
    return free ? std::optional((*free)[0] * std::uint64_t{1024}) : std::nullopt;
}

std::string version_of(const std::string& text) {
    int major = 0, minor = 0;
    if (std::sscanf(text.c_str(), "OpenCL %d.%d", &major, &minor) != 2) return {};
    return major > 1 || (major == 1 && minor >= 2) ? fmt::format("{}.{}", major, minor) : "";
}

Exactness exactness_of(cl_device_fp_config config) {
    const auto promise = [&](cl_device_fp_config bit) {
        return config & bit ? Promise::promised : Promise::no;
    };
    return {.round_to_nearest_even = promise(CL_FP_ROUND_TO_NEAREST),
            .signed_zero_inf_nan = promise(CL_FP_INF_NAN),
            .subnormals = promise(CL_FP_DENORM),
            .division = promise(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
            .square_root = promise(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
            .fma = promise(CL_FP_FMA)};
}

Result<std::vector<PhysicalDevice>> physical_devices(const std::shared_ptr<const Api>& api) {
    const auto platforms = TRY(list<cl_platform_id>(api->clGetPlatformIDs));
    std::vector<PhysicalDevice> devices;
    std::vector<std::string> unfit;
    // Platforms and devices that don't work are left out: others, of other vendors, may.
    const auto leave_out = [&](const Error& why) {
        unfit.push_back(why.message +
                        (why.context.empty() ? "" : fmt::format(" ({})", fmt::join(why.context, ", "))));
    };
    for (const cl_platform_id platform : platforms) {
        const auto handles =
            list<cl_device_id>(api->clGetDeviceIDs, platform, cl_device_type{CL_DEVICE_TYPE_ALL});
        if (!handles) leave_out(handles.error());
        for (const cl_device_id handle : handles.value_or(std::vector<cl_device_id>{})) {
            auto device = query_device(api, handle);
            if (!device) {
                leave_out(device.error());
                continue;
            }
            device->info.ordinal = static_cast<std::uint32_t>(devices.size());
            devices.push_back(*std::move(device));
        }
    }
    if (!devices.empty()) return devices;
    return fail(unfit.empty() ? ErrorCode::not_found : ErrorCode::unavailable,
                unfit.empty() ? "The OpenCL loader finds no device."
                              : fmt::format("No OpenCL device can be used: {}", fmt::join(unfit, " ")),
                "install the device's OpenCL driver, or pocl-opencl-icd for one on the processor");
}

ScalarSet scalars_of(cl_device_fp_config doubles) {
    constexpr cl_device_fp_config needed = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
    ScalarSet all;
    return all.set().set(static_cast<std::size_t>(Scalar::f64), (doubles & needed) == needed);
}

}  // namespace muster::opencl
