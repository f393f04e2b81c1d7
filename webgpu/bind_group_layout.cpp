#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/bind_group_layout.hpp>
#include <muster/webgpu/chain.hpp>

namespace muster::webgpu {

std::size_t BindGroupEntries::dynamic_offsets() const {
    return static_cast<std::size_t>(std::ranges::count(entries, true, &LayoutEntry::has_dynamic_offset));
}

namespace {

constexpr WGPUShaderStage all_stages =
    WGPUShaderStage_Vertex | WGPUShaderStage_Fragment | WGPUShaderStage_Compute;

Error no_textures(std::uint32_t binding, std::string_view what) {
    return Error{ErrorCode::unsupported,
                 fmt::format("Binding {} is a {}: muster's bindings are buffers.", binding, what),
                 "use a storage buffer",
                 {}};
}

Result<LayoutEntry> checked(const GpuDevice& device, const WGPUBindGroupLayoutEntry& entry) {
    const std::uint32_t binding = entry.binding;
    if (find_in_chain<WGPUChainedStruct>(entry.nextInChain, WGPUSType_ExternalTextureBindingLayout) !=
        nullptr)
        return std::unexpected(no_textures(binding, "external texture"));
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
    constexpr std::array chained{static_cast<WGPUSType>(WGPUSType_BindGroupLayoutEntryExtras)};
    TRY(check_chain(entry.nextInChain, "WGPUBindGroupLayoutEntry", chained));
    const auto* extras = find_in_chain<WGPUBindGroupLayoutEntryExtras>(entry.nextInChain, chained[0]);
    const std::uint32_t elements = std::max(entry.bindingArraySize, extras != nullptr ? extras->count : 0);
#else
    TRY(check_chain(entry.nextInChain, "WGPUBindGroupLayoutEntry"));
    const std::uint32_t elements = entry.bindingArraySize;
#endif
    TRY(check_chain(entry.buffer.nextInChain, "WGPUBufferBindingLayout"));
    if (binding >= device.limits.maxBindingsPerBindGroup)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("Binding {} isn't below the device's maxBindingsPerBindGroup, {}.", binding,
                                device.limits.maxBindingsPerBindGroup),
                    "use smaller numbers");
    if ((entry.visibility & ~all_stages) != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The visibility of binding {} is 0x{:x}, with bits that mean nothing.",
                                binding, entry.visibility),
                    "combine values of WGPUShaderStage");
    if (elements > 1)
        return fail(
            ErrorCode::unsupported,
            fmt::format("Binding {} is an array of {} bindings, and the device has none.", binding, elements),
            "give each buffer a binding");
    if (entry.sampler.type != WGPUSamplerBindingType_BindingNotUsed)
        return std::unexpected(no_textures(binding, "sampler"));
    if (entry.texture.sampleType != WGPUTextureSampleType_BindingNotUsed)
        return std::unexpected(no_textures(binding, "texture"));
    if (entry.storageTexture.access != WGPUStorageTextureAccess_BindingNotUsed)
        return std::unexpected(no_textures(binding, "storage texture"));
    LayoutEntry made{.binding = binding,
                     .visibility = entry.visibility,
                     .type = entry.buffer.type == WGPUBufferBindingType_Undefined
                                 ? WGPUBufferBindingType_Uniform
                                 : entry.buffer.type,
                     .has_dynamic_offset = entry.buffer.hasDynamicOffset != 0,
                     .min_bytes = entry.buffer.minBindingSize};
    if (made.type < WGPUBufferBindingType_Uniform || made.type > WGPUBufferBindingType_ReadOnlyStorage)
        return fail(ErrorCode::invalid_argument,
                    made.type == WGPUBufferBindingType_BindingNotUsed
                        ? fmt::format("Binding {} says of no resource what it is.", binding)
                        : fmt::format("The buffer type of binding {} is {}, which is none.", binding,
                                      static_cast<unsigned>(made.type)),
                    "set buffer.type to WGPUBufferBindingType_Uniform, _Storage or _ReadOnlyStorage");
    if (made.type == WGPUBufferBindingType_Storage && (made.visibility & WGPUShaderStage_Vertex) != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding {} is a storage buffer that vertex shaders see.", binding),
                    "remove WGPUShaderStage_Vertex, or use WGPUBufferBindingType_ReadOnlyStorage");
    return made;
}

Result<BindGroupEntries> checked(const GpuDevice& device, const WGPUBindGroupLayoutDescriptor& descriptor) {
    TRY(check_chain(descriptor.nextInChain, "WGPUBindGroupLayoutDescriptor"));
    BindGroupEntries made;
    for (std::size_t i = 0; i < descriptor.entryCount; ++i)
        made.entries.push_back(TRY(checked(device, descriptor.entries[i])));
    std::ranges::sort(made.entries, {}, &LayoutEntry::binding);
    const auto twice = std::ranges::adjacent_find(made.entries, {}, &LayoutEntry::binding);
    if (twice != made.entries.end())
        return fail(ErrorCode::conflict, fmt::format("Binding {} is listed twice.", twice->binding),
                    "give each binding a number of its own");
    const std::array groups{std::make_shared<const BindGroupEntries>(made)};
    TRY(check_counts(device, groups));
    return made;
}

Result<WGPUPipelineLayoutImpl::Groups> checked(const GpuDevice& device,
                                               const WGPUPipelineLayoutDescriptor& descriptor) {
    TRY(check_chain(descriptor.nextInChain, "WGPUPipelineLayoutDescriptor"));
    if (descriptor.bindGroupLayoutCount > device.limits.maxBindGroups)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The pipeline layout has {} bind groups; the device's maxBindGroups is {}.",
                                descriptor.bindGroupLayoutCount, device.limits.maxBindGroups),
                    "use fewer groups, or require a larger limit of the device");
    WGPUPipelineLayoutImpl::Groups groups;
    for (std::size_t i = 0; i < descriptor.bindGroupLayoutCount; ++i) {
        const BindGroupLayout* layout = descriptor.bindGroupLayouts[i];
        if (layout == nullptr) {  // a group without bindings
            groups.push_back(nullptr);
            continue;
        }
        TRY(layout->usable_by(device));
        if (layout->entries->exclusive_pipeline != 0)
            return fail(
                ErrorCode::invalid_argument,
                fmt::format(
                    "The {} of group {} belongs to a pipeline that was made with an automatic layout.",
                    layout->shown(), i),
                "create it with wgpuDeviceCreateBindGroupLayout");
        groups.push_back(layout->entries);
    }
    TRY(check_counts(device, groups));
    const std::uint32_t immediates = descriptor.immediateSize;
    if (immediates > device.limits.maxImmediateSize)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "The pipeline layout has {} bytes of immediates; the device's maxImmediateSize is {}.",
                immediates, device.limits.maxImmediateSize),
            "use a uniform buffer, or require a larger limit of the device");
    TRY([&]() -> Result<void> {
        if (immediates % 4 == 0) return {};
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The pipeline layout's immediates have {} bytes, no multiple of 4.", immediates),
            "use whole words");
    }());
    return groups;
}

std::uint64_t next_pipeline() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

Result<void> check_counts(const GpuDevice& device,
                          std::span<const std::shared_ptr<const BindGroupEntries>> groups) {
    struct Count {
        std::string_view what;
        std::uint32_t limit;
        std::uint32_t number = 0;
    };
    const WGPULimits& limits = device.limits;
    std::array counts{
        Count{"uniform buffers of dynamic offset, maxDynamicUniformBuffersPerPipelineLayout",
              limits.maxDynamicUniformBuffersPerPipelineLayout},
        Count{"storage buffers of dynamic offset, maxDynamicStorageBuffersPerPipelineLayout",
              limits.maxDynamicStorageBuffersPerPipelineLayout},
        Count{"uniform buffers of vertex shaders, maxUniformBuffersPerShaderStage",
              limits.maxUniformBuffersPerShaderStage},
        Count{"uniform buffers of fragment shaders, maxUniformBuffersPerShaderStage",
              limits.maxUniformBuffersPerShaderStage},
        Count{"uniform buffers of compute shaders, maxUniformBuffersPerShaderStage",
              limits.maxUniformBuffersPerShaderStage},
        Count{"storage buffers of vertex shaders, maxStorageBuffersPerShaderStage",
              limits.maxStorageBuffersPerShaderStage},
        Count{"storage buffers of fragment shaders, maxStorageBuffersPerShaderStage",
              limits.maxStorageBuffersPerShaderStage},
        Count{"storage buffers of compute shaders, maxStorageBuffersPerShaderStage",
              limits.maxStorageBuffersPerShaderStage},
    };
    for (const auto& group : groups) {
        if (!group) continue;
        for (const LayoutEntry& entry : group->entries) {
            if (entry.has_dynamic_offset) ++counts[entry.is_uniform() ? 0 : 1].number;
            for (std::uint32_t stage = 0; stage < 3; ++stage)
                if ((entry.visibility & (WGPUShaderStage{1} << stage)) != 0)
                    ++counts[(entry.is_uniform() ? 2u : 5u) + stage].number;
        }
    }
    for (const Count& each : counts)
        if (each.number > each.limit)
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("There are {} {}; the device has {}.", each.number, each.what, each.limit),
                "join some of them, or require a larger limit of the device");
    return {};
}

Result<Ref<PipelineLayout>> automatic_layout(GpuDevice& device, const wgsl::EntryInterface& entry) {
    std::vector<BindGroupEntries> groups;
    std::uint32_t immediate_bytes = 0;
    const std::uint64_t pipeline = next_pipeline();
    for (const wgsl::Resource& each : entry.resources) {
        if (each.is_immediate) {
            immediate_bytes = static_cast<std::uint32_t>(round_up(each.min_bytes, std::uint64_t{4}));
            continue;
        }
        if (each.group >= device.limits.maxBindGroups)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The variable {} is in group {}; the device's maxBindGroups is {}.",
                                    each.name, each.group, device.limits.maxBindGroups),
                        "use smaller numbers, or require a larger limit of the device");
        if (each.binding >= device.limits.maxBindingsPerBindGroup)
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("The variable {} has binding {}; the device's maxBindingsPerBindGroup is {}.",
                            each.name, each.binding, device.limits.maxBindingsPerBindGroup),
                "use smaller numbers");
        while (groups.size() <= each.group) groups.push_back({{}, pipeline});
        groups[each.group].entries.push_back(
            {.binding = each.binding,
             .visibility = WGPUShaderStage_Compute,
             .type = each.space == AddressSpace::uniform ? WGPUBufferBindingType_Uniform
                     : each.access == Access::read       ? WGPUBufferBindingType_ReadOnlyStorage
                                                         : WGPUBufferBindingType_Storage,
             .has_dynamic_offset = false,
             .min_bytes = each.min_bytes});
    }
    if (immediate_bytes > device.limits.maxImmediateSize)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The immediate has {} bytes; the device's maxImmediateSize is {}.",
                                immediate_bytes, device.limits.maxImmediateSize),
                    "use a uniform buffer, or require a larger limit of the device");
    PipelineLayout::Groups shared;
    for (BindGroupEntries& group : groups) shared.push_back(device.interned(std::move(group)));
    TRY(check_counts(device, shared));
    return Ref<PipelineLayout>::adopt(
        new PipelineLayout(&device, "of an automatic layout", true, std::move(shared), immediate_bytes));
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUBindGroupLayout wgpuDeviceCreateBindGroupLayout(WGPUDevice device,
                                                    WGPUBindGroupLayoutDescriptor const* descriptor) {
    BindGroupEntries entries;
    const bool is_valid = device->attempt("wgpuDeviceCreateBindGroupLayout", [&]() -> Result<void> {
        entries = TRY(during(
            [&] { return fmt::format("making the bind group layout \"{}\"", text_of(descriptor->label)); },
            checked(*device, *descriptor)));
        return {};
    });
    return new BindGroupLayout(device, label_of(descriptor->label), is_valid,
                               device->interned(std::move(entries)));
}
MUSTER_WEBGPU_OBJECT(BindGroupLayout)

WGPUPipelineLayout wgpuDeviceCreatePipelineLayout(WGPUDevice device,
                                                  WGPUPipelineLayoutDescriptor const* descriptor) {
    PipelineLayout::Groups groups;
    const bool is_valid = device->attempt("wgpuDeviceCreatePipelineLayout", [&]() -> Result<void> {
        groups = TRY(during(
            [&] { return fmt::format("making the pipeline layout \"{}\"", text_of(descriptor->label)); },
            checked(*device, *descriptor)));
        return {};
    });
    return new PipelineLayout(device, label_of(descriptor->label), is_valid, std::move(groups),
                              descriptor->immediateSize);
}
MUSTER_WEBGPU_OBJECT(PipelineLayout)
