#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/bind_group.hpp>
#include <muster/webgpu/chain.hpp>

namespace muster::webgpu {
namespace {

Result<BoundBuffer> checked(const GpuDevice& device, const LayoutEntry& layout,
                            const WGPUBindGroupEntry& entry) {
    const std::uint32_t binding = entry.binding;
    if (entry.sampler != nullptr || entry.textureView != nullptr ||
        find_in_chain<WGPUChainedStruct>(entry.nextInChain, WGPUSType_ExternalTextureBindingEntry) != nullptr)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("Binding {} is given a sampler or a texture; its layout has a buffer.", binding),
            "set buffer alone");
    TRY(check_chain(entry.nextInChain, "WGPUBindGroupEntry"));
    if (entry.buffer == nullptr)
        return fail(ErrorCode::invalid_argument, fmt::format("Binding {} is given no buffer.", binding),
                    "set buffer");
    const GpuBuffer& buffer = *entry.buffer;
    TRY(buffer.usable_by(device));
    const WGPULimits& limits = device.limits;
    const bool is_uniform = layout.is_uniform();
    TRY(check_usage(buffer, is_uniform ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage,
                    is_uniform ? "bound as a uniform" : "bound as storage"));
    TRY(check_range(buffer, fmt::format("binding {}", binding), entry.offset, 0));
    const std::uint64_t bytes = entry.size == WGPU_WHOLE_SIZE ? buffer.size - entry.offset : entry.size;
    if (bytes == 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding {} has no bytes: it begins at byte {} of the {}, which has {}.",
                                binding, entry.offset, buffer.shown(), buffer.size),
                    "bind at least one element");
    TRY(check_range(buffer, fmt::format("binding {}", binding), entry.offset, bytes));
    TRY(check_multiple(
        fmt::format("offset of binding {}", binding), entry.offset,
        is_uniform ? limits.minUniformBufferOffsetAlignment : limits.minStorageBufferOffsetAlignment));
    if (!is_uniform) TRY(check_multiple(fmt::format("size of the storage binding {}", binding), bytes, 4));
    const std::uint64_t most =
        is_uniform ? limits.maxUniformBufferBindingSize : limits.maxStorageBufferBindingSize;
    if (bytes > most)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("Binding {} has {} bytes; the device's {} is {}.", binding, bytes,
                        is_uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize", most),
            "bind a part of the buffer, or require a larger limit of the device");
    if (bytes < layout.min_bytes)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding {} has {} bytes; its layout's minBindingSize is {}.", binding, bytes,
                                layout.min_bytes),
                    "bind more of the buffer");
    return BoundBuffer{entry.buffer, entry.offset, bytes};
}

Result<std::vector<BoundBuffer>> checked(const GpuDevice& device, const WGPUBindGroupDescriptor& descriptor) {
    TRY(check_chain(descriptor.nextInChain, "WGPUBindGroupDescriptor"));
    if (descriptor.layout == nullptr)
        return fail(ErrorCode::invalid_argument, "The bind group has no layout.", "set layout");
    TRY(descriptor.layout->usable_by(device));
    const auto& entries = descriptor.layout->entries->entries;
    if (descriptor.entryCount != entries.size())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The bind group has {} entries; the {} has {}.", descriptor.entryCount,
                                descriptor.layout->shown(), entries.size()),
                    "give each binding of the layout once, and no other");
    std::vector<BoundBuffer> buffers(entries.size());
    for (std::size_t i = 0; i < descriptor.entryCount; ++i) {
        const WGPUBindGroupEntry& entry = descriptor.entries[i];
        const auto found = std::ranges::lower_bound(entries, entry.binding, {}, &LayoutEntry::binding);
        if (found == entries.end() || found->binding != entry.binding)
            return fail(
                ErrorCode::not_found,
                fmt::format("Binding {} isn't in the {}.", entry.binding, descriptor.layout->shown()),
                "give the bindings of the layout; an automatic layout has those that the entry point uses");
        BoundBuffer& place = buffers[static_cast<std::size_t>(found - entries.begin())];
        if (place.buffer)
            return fail(ErrorCode::conflict, fmt::format("Binding {} is given twice.", entry.binding),
                        "give it once");
        place = TRY(checked(device, *found, entry));
    }
    return buffers;
}

}  // namespace
}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUBindGroup wgpuDeviceCreateBindGroup(WGPUDevice device, WGPUBindGroupDescriptor const* descriptor) {
    std::vector<BoundBuffer> buffers;
    const bool is_valid = device->attempt("wgpuDeviceCreateBindGroup", [&]() -> Result<void> {
        buffers = TRY(
            during([&] { return fmt::format("making the bind group \"{}\"", text_of(descriptor->label)); },
                   checked(*device, *descriptor)));
        return {};
    });
    return new BindGroup(device, label_of(descriptor->label), is_valid,
                         is_valid ? descriptor->layout->entries : nullptr, std::move(buffers));
}
MUSTER_WEBGPU_OBJECT(BindGroup)
