#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/physical_device.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster::vulkan {
namespace {

using Extensions = std::vector<VkExtensionProperties>;

bool has(const Extensions& all, const char* name) {
    return std::ranges::any_of(
        all, [&](const auto& extension) { return std::strcmp(extension.extensionName, name) == 0; });
}

/// A feature that is in core from a version on, and an extension before.
struct OptionalFeature {
    VulkanVersion core_from;
    const char* extension;
};
constexpr OptionalFeature float_controls{VulkanVersion::v1_2, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME};
constexpr OptionalFeature driver_properties{VulkanVersion::v1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME};
constexpr OptionalFeature int64_atomics{VulkanVersion::v1_2, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME};
constexpr OptionalFeature byte_storage{VulkanVersion::v1_2, VK_KHR_8BIT_STORAGE_EXTENSION_NAME};
constexpr OptionalFeature timeline_semaphores{VulkanVersion::v1_2, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
constexpr OptionalFeature zero_initialization{VulkanVersion::v1_3,
                                              VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME};
constexpr OptionalFeature subgroup_sizes{VulkanVersion::v1_3, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME};
constexpr OptionalFeature packed_products{VulkanVersion::v1_3,
                                          VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME};
/// In no core version.
constexpr const char* subgroup_control_flow = VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME;
constexpr const char* host_memory = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
/// A device with this extension lacks parts of Vulkan and must be opened with it.
/// Defined in a beta header only.
constexpr const char* portability_subset = "VK_KHR_portability_subset";

/// A device being queried; its extensions are known.
struct Query {
    const InstanceTable& table;
    PhysicalDevice& device;
    Extensions extensions;

    bool offers(const OptionalFeature& feature) const {
        return device.version >= feature.core_from || has(extensions, feature.extension);
    }
    void enable(const OptionalFeature& feature) {
        if (device.version < feature.core_from) device.extensions.push_back(feature.extension);
    }
};

VulkanVersion version_of(std::uint32_t number) {
    if (number >= VK_API_VERSION_1_3) return VulkanVersion::v1_3;
    return number >= VK_API_VERSION_1_2 ? VulkanVersion::v1_2 : VulkanVersion::v1_1;
}

/// Prepends a structure to a chain that Vulkan fills in.
template <class Structure>
void chain(void*& front, Structure& structure) {
    structure.pNext = front;
    front = &structure;
}

void ask_properties(Query& query) {
    PhysicalDevice& device = query.device;
    VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties memory{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroups{.sType =
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceSubgroupSizeControlProperties sizes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceFloatControlsProperties floats{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    void* front = nullptr;
    chain(front, id);
    chain(front, memory);
    chain(front, subgroups);
    if (query.offers(subgroup_sizes)) chain(front, sizes);
    const bool has_driver = query.offers(driver_properties), has_floats = query.offers(float_controls);
    if (has_driver) chain(front, driver);
    if (has_floats) chain(front, floats);
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = front};
    query.table.vkGetPhysicalDeviceProperties2(device.handle, &all);

    std::ranges::copy(id.deviceUUID, device.uuid.begin());
    device.max_allocation_bytes = memory.maxMemoryAllocationSize;
    device.subgroups = subgroups_of(device.properties.limits, subgroups, sizes);
    device.driver = has_driver ? fmt::format("{} {}", driver.driverName, driver.driverInfo)
                               : fmt::format("version {:#x}", device.properties.driverVersion);
    if (has_floats) {
        device.float_controls = {
            .denorm_preserve = floats.shaderDenormPreserveFloat32 == VK_TRUE,
            .signed_zero_inf_nan_preserve = floats.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE,
            .rounding_rte = floats.shaderRoundingModeRTEFloat32 == VK_TRUE};
        device.double_controls = {
            .denorm_preserve = floats.shaderDenormPreserveFloat64 == VK_TRUE,
            .signed_zero_inf_nan_preserve = floats.shaderSignedZeroInfNanPreserveFloat64 == VK_TRUE,
            .rounding_rte = floats.shaderRoundingModeRTEFloat64 == VK_TRUE};
        query.enable(float_controls);
    }
}

/// Asks if buffers can be over imported memory of the host, and enables it.
void ask_host_memory(Query& query) {
    PhysicalDevice& device = query.device;
    if (!device.shares_memory() || !has(query.extensions, host_memory)) return;
    constexpr VkExternalMemoryHandleTypeFlagBits kind =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkPhysicalDeviceExternalBufferInfo info{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = buffer_usage,
        .handleType = kind};
    VkExternalBufferProperties buffers{.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    query.table.vkGetPhysicalDeviceExternalBufferProperties(device.handle, &info, &buffers);
    const VkExternalMemoryProperties& can = buffers.externalMemoryProperties;
    if (!(can.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) ||
        !(can.compatibleHandleTypes & kind))
        return;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    query.table.vkGetPhysicalDeviceProperties2(device.handle, &all);
    device.import_alignment = host.minImportedHostPointerAlignment;
    device.extensions.push_back(host_memory);
}

/// Asks for the properties that help to spread work over devices. Extensions alone have them,
/// which needn't be enabled.
void ask_hardware(Query& query, std::span<const VkQueueFamilyProperties> families) {
    PhysicalDevice& device = query.device;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV multiprocessors{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCorePropertiesAMD units{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM cores{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
    const bool has_pci = has(query.extensions, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    void* front = nullptr;
    if (has_pci) chain(front, pci);
    if (has(query.extensions, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(front, multiprocessors);
    if (has(query.extensions, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) chain(front, units);
    if (has(query.extensions, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) chain(front, cores);
    if (front != nullptr) {
        VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                        .pNext = front};
        query.table.vkGetPhysicalDeviceProperties2(device.handle, &all);
    }
    DeviceHardware& hardware = device.hardware;
    const std::uint32_t in_arrays =
        units.shaderEngineCount * units.shaderArraysPerEngineCount * units.computeUnitsPerShaderArray;
    for (const std::uint32_t count : {multiprocessors.shaderSMCount, in_arrays, cores.shaderCoreCount})
        if (count != 0) hardware.compute_units = count;
    hardware.vendor = device.properties.vendorID;
    if (device.properties.deviceID != 0) hardware.device = device.properties.deviceID;
    if (has_pci) hardware.pci_address = PciAddress{pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction};
    hardware.unified_memory = device.shares_memory();
    hardware.asynchronous_copies = std::ranges::any_of(families, [](const VkQueueFamilyProperties& family) {
        return (family.queueFlags & VK_QUEUE_TRANSFER_BIT) &&
               !(family.queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) &&
               family.queueCount != 0;
    });
    device.tells_free_memory = has(query.extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    hardware.free_memory_bytes = free_memory(query.table, device);
}

void ask_features(Query& query) {
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES};
    VkPhysicalDevice16BitStorageFeatures halves{.sType =
                                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
    VkPhysicalDevice8BitStorageFeatures bytes{.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
    VkPhysicalDeviceShaderIntegerDotProductFeatures products{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
    VkPhysicalDeviceShaderAtomicInt64Features atomics{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
    void* front = nullptr;
    chain(front, halves);
    if (query.offers(int64_atomics)) chain(front, atomics);
    if (query.offers(packed_products)) chain(front, products);
    if (query.offers(byte_storage)) chain(front, bytes);
    if (query.offers(timeline_semaphores)) chain(front, timeline);
    if (query.offers(zero_initialization)) chain(front, zero);
    if (query.offers(subgroup_sizes)) chain(front, sizes);
    if (has(query.extensions, subgroup_control_flow)) chain(front, control_flow);
    VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = front};
    query.table.vkGetPhysicalDeviceFeatures2(query.device.handle, &all);
    query.device.int64 = all.features.shaderInt64 == VK_TRUE;
    query.device.float64 =
        query.device.int64 && all.features.shaderFloat64 == VK_TRUE;  // whose bits are a u64
    query.device.half_words =
        halves.storageBuffer16BitAccess == VK_TRUE && halves.uniformAndStorageBuffer16BitAccess == VK_TRUE;
    query.device.bytes =
        bytes.storageBuffer8BitAccess == VK_TRUE && bytes.uniformAndStorageBuffer8BitAccess == VK_TRUE;
    if (query.device.bytes) query.enable(byte_storage);
    query.device.wide_atomics =
        atomics.shaderBufferInt64Atomics == VK_TRUE && atomics.shaderSharedInt64Atomics == VK_TRUE;
    if (query.device.wide_atomics) query.enable(int64_atomics);
    query.device.packed_products = products.shaderIntegerDotProduct == VK_TRUE;
    if (query.device.packed_products) query.enable(packed_products);
    query.device.timeline_semaphores = timeline.timelineSemaphore == VK_TRUE;
    if (query.device.timeline_semaphores) query.enable(timeline_semaphores);
    query.device.zero_initialize_workgroup_memory = zero.shaderZeroInitializeWorkgroupMemory == VK_TRUE;
    if (query.device.zero_initialize_workgroup_memory) query.enable(zero_initialization);
    query.device.subgroup_size_control =
        sizes.subgroupSizeControl == VK_TRUE && sizes.computeFullSubgroups == VK_TRUE;
    if (query.device.subgroup_size_control)
        query.enable(subgroup_sizes);
    else if (query.device.subgroups.missing.empty())
        query.device.subgroups.missing = "no pipeline can require a size, or full subgroups";
    query.device.subgroup_uniform_control_flow = control_flow.shaderSubgroupUniformControlFlow == VK_TRUE;
    if (query.device.subgroup_uniform_control_flow) query.device.extensions.push_back(subgroup_control_flow);
    if (has(query.extensions, portability_subset)) query.device.extensions.push_back(portability_subset);
}

std::vector<VkQueueFamilyProperties> queue_families(const InstanceTable& table, VkPhysicalDevice handle) {
    std::uint32_t count = 0;
    table.vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    table.vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
    families.resize(count);
    return families;
}

/// Errors: unavailable if the device can't be used.
Result<PhysicalDevice> query_device(const Instance& instance, const InstanceTable& table,
                                    VkPhysicalDevice handle) {
    PhysicalDevice device;
    device.handle = handle;
    table.vkGetPhysicalDeviceProperties(handle, &device.properties);
    const char* name = device.properties.deviceName;
    const std::uint32_t version = std::min(device.properties.apiVersion, instance.version());
    if (version < VK_API_VERSION_1_1)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} knows Vulkan {}.{} only.", name, VK_API_VERSION_MAJOR(version),
                                VK_API_VERSION_MINOR(version)));
    device.version = version_of(version);
    const std::vector<VkQueueFamilyProperties> families = queue_families(table, handle);
    const auto queue = choose_queue(families);
    if (!queue) return fail(ErrorCode::unavailable, fmt::format("{} has no queue that computes.", name));
    device.queue = *queue;
    Query query{table, device,
                TRY(enumerate("vkEnumerateDeviceExtensionProperties", VkExtensionProperties{},
                              [&](std::uint32_t* count, VkExtensionProperties* list) {
                                  return table.vkEnumerateDeviceExtensionProperties(handle, nullptr, count,
                                                                                    list);
                              }))};
    ask_properties(query);
    ask_features(query);
    ask_host_memory(query);
    ask_hardware(query, families);
    table.vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
    return device;
}

DeviceKind kind_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceKind::cpu;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceKind::integrated_gpu;
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return DeviceKind::discrete_gpu;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return DeviceKind::virtual_gpu;
        case VK_PHYSICAL_DEVICE_TYPE_OTHER:
        case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
    }
    return DeviceKind::other;
}

DeviceLimits limits_of(const PhysicalDevice& device) {
    const VkPhysicalDeviceLimits& vk = device.properties.limits;
    const auto extent = [](const std::uint32_t(&axes)[3]) { return Extent3{axes[0], axes[1], axes[2]}; };
    const std::uint32_t storage =
        std::min(vk.maxPerStageDescriptorStorageBuffers, vk.maxDescriptorSetStorageBuffers);
    const std::uint32_t uniform =
        std::min(vk.maxPerStageDescriptorUniformBuffers, vk.maxDescriptorSetUniformBuffers);
    return {.max_workgroup_size = extent(vk.maxComputeWorkGroupSize),
            .max_workgroup_invocations = vk.maxComputeWorkGroupInvocations,
            .max_workgroup_bytes = vk.maxComputeSharedMemorySize,
            .max_workgroups = extent(vk.maxComputeWorkGroupCount),
            .max_storage_binding_bytes =
                std::min<std::uint64_t>(vk.maxStorageBufferRange, device.max_allocation_bytes),
            .max_uniform_binding_bytes = vk.maxUniformBufferRange,
            .max_storage_bindings = std::min(storage, vk.maxPerStageResources) -
                                    (device.long_loops == LongLoops::watched ? 1 : 0),
            .max_uniform_bindings = std::min(uniform, vk.maxPerStageResources),
            .max_private_bytes = 1 << 16};  // Vulkan has no such limit
}

/// Size of the memory that buffers are allocated from.
std::uint64_t memory_bytes(const VkPhysicalDeviceMemoryProperties& memory) {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            bytes += memory.memoryHeaps[i].size;
    return bytes;
}

}  // namespace

std::optional<QueueChoice> choose_queue(std::span<const VkQueueFamilyProperties> families) {
    std::optional<QueueChoice> chosen;
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        const VkQueueFlags flags = families[i].queueFlags;
        if (!(flags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
        const bool alone = !(flags & VK_QUEUE_GRAPHICS_BIT);
        if (!chosen || alone) chosen = QueueChoice{i, families[i].timestampValidBits};
        if (alone) break;
    }
    return chosen;
}

std::optional<std::uint64_t> free_memory(const InstanceTable& table, const PhysicalDevice& device) {
    if (!device.tells_free_memory) return std::nullopt;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                             .pNext = &budget};
    table.vkGetPhysicalDeviceMemoryProperties2(device.handle, &memory);
    std::uint64_t free = 0;
    for (std::uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; ++i)
        if (memory.memoryProperties.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            free += budget.heapBudget[i] - std::min(budget.heapBudget[i], budget.heapUsage[i]);
    return free;
}

Subgroups subgroups_of(const VkPhysicalDeviceLimits& vk, const VkPhysicalDeviceSubgroupProperties& has,
                       const VkPhysicalDeviceSubgroupSizeControlProperties& sizes) {
    constexpr VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    Subgroups made{.usual = has.subgroupSize,
                   .sizes = {std::max(sizes.minSubgroupSize, limits::least_subgroup),
                             std::min(sizes.maxSubgroupSize, limits::most_subgroup)},
                   .is_required = sizes.minSubgroupSize != sizes.maxSubgroupSize,
                   .most = sizes.maxComputeWorkgroupSubgroups};
    const bool can_require = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    if (!(has.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        made.missing = "kernels can't use its subgroups";
    else if ((has.supportedOperations & needed) != needed)
        made.missing = "it has no ballots, or no shuffles";
    else if (sizes.maxSubgroupSize == 0)
        made.missing = "it doesn't tell if their size varies";
    else if (made.is_required && !can_require)
        made.missing = fmt::format("their size is {} to {}, and no pipeline can require one",
                                   sizes.minSubgroupSize, sizes.maxSubgroupSize);
    else if (made.usual < made.sizes.least || made.usual > made.sizes.most)
        made.missing = fmt::format("their size is {}, and not {} to {}", made.usual, limits::least_subgroup,
                                   limits::most_subgroup);
    else if (vk.maxComputeWorkGroupSize[0] < vk.maxComputeWorkGroupInvocations)
        made.missing = "workgroups can't have all of their invocations along x";
    return made;
}

Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance, const InstanceTable& table) {
    const auto handles = TRY(enumerate(
        "vkEnumeratePhysicalDevices", VkPhysicalDevice{}, [&](std::uint32_t* count, VkPhysicalDevice* list) {
            return table.vkEnumeratePhysicalDevices(instance.handle(), count, list);
        }));
    std::vector<PhysicalDevice> devices;
    std::vector<std::string> unfit;
    for (const VkPhysicalDevice handle : handles)
        TRY(add_usable(query_device(instance, table, handle), devices, unfit));
    if (!devices.empty()) return devices;
    return fail(unfit.empty() ? ErrorCode::not_found : ErrorCode::unavailable,
                unfit.empty() ? "The Vulkan loader finds no device."
                              : fmt::format("No Vulkan device can be used: {}", fmt::join(unfit, " ")),
                "install the device's Vulkan driver, or mesa-vulkan-drivers for one on the processor");
}

Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance) {
    return physical_devices(instance, instance.table());
}

Exactness promised_exactness(const FloatControls& controls) {
    const auto promise = [](bool given) { return given ? Promise::promised : Promise::no; };
    return {.round_to_nearest_even = promise(controls.rounding_rte),
            .signed_zero_inf_nan = promise(controls.signed_zero_inf_nan_preserve),
            .subnormals = promise(controls.denorm_preserve)};
}

namespace {

/// Everything that a device's SPIR-V depends on and its DeviceInfo doesn't say (compile.cpp).
std::string compiler_identity(const PhysicalDevice& device) {
    static const std::string backend =
        platform::build_of_file(platform::module_of(reinterpret_cast<const void*>(&promised_exactness)));
    const auto bits = [](const FloatControls& of) {
        return (of.denorm_preserve ? 1 : 0) + (of.signed_zero_inf_nan_preserve ? 2 : 0) +
               (of.rounding_rte ? 4 : 0);
    };
    return fmt::format("vulkan backend, {}; {} {} {} {} {}", backend, bits(device.float_controls),
                       bits(device.double_controls), device.zero_initialize_workgroup_memory,
                       static_cast<int>(device.long_loops), device.subgroup_uniform_control_flow);
}

}  // namespace

DeviceInfo device_info(const PhysicalDevice& device, std::uint32_t ordinal, const Exactness& exactness) {
    DeviceInfo info;
    info.ordinal = ordinal;
    info.name = device.properties.deviceName;
    info.arch = name(device.version);
    info.kind = kind_of(device.properties.deviceType);
    info.software_emulated = device.is_processor();
    info.uuid = device.uuid;
    info.driver = device.driver;
    info.memory_bytes = memory_bytes(device.memory);
    info.subgroup_size = device.subgroups.usual;
    info.no_subgroups = device.subgroups.missing;
    if (info.no_subgroups.empty()) info.subgroup_sizes = device.subgroups.sizes;
    info.limits = limits_of(device);
    info.ops = ops_with(device.packed_products, device.wide_atomics);
    for (const ScalarInfo& row : scalars) {
        const bool has = row.bytes == 1   ? device.bytes
                         : row.bytes == 2 ? device.half_words
                         : row.bytes == 4 ? true
                         : row.scalar == Scalar::f64
                             ? device.float64 && device.int64  // in which its math functions are written
                             : device.int64;
        info.scalars.set(static_cast<std::size_t>(row.scalar), has);
    }
    info.exactness = exactness;
    info.compiler = compiler_identity(device);
    info.hardware = device.hardware;
    return info;
}

}  // namespace muster::vulkan
