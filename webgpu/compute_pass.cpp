// The state of a compute pass, and its dispatches. What is set is checked at the first
// dispatch after a change.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/command_encoder.hpp>

using namespace muster;
using namespace muster::webgpu;

void WGPUComputePassEncoderImpl::set_pipeline(ComputePipeline& pipeline) {
    is_ready_ = is_ready_ && pipeline_.get() == &pipeline;
    if (pipeline_.get() != &pipeline) pipeline_ = Ref<ComputePipeline>(&pipeline);
}

Result<void> WGPUComputePassEncoderImpl::set_bind_group(std::uint32_t index, BindGroup* group,
                                                        std::span<const std::uint32_t> offsets) {
    const WGPULimits& limits = device->limits;
    if (index >= limits.maxBindGroups)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("Bind group {} is set; the device's maxBindGroups is {}.", index,
                                limits.maxBindGroups),
                    "use a smaller number, or require a larger limit of the device");
    Group& place = groups_[index];
    if (group == nullptr) {
        if (!offsets.empty())
            return fail(ErrorCode::invalid_argument, "Dynamic offsets are given without a bind group.",
                        "give none");
        is_ready_ = is_ready_ && !place.group;
        place = {};
        return {};
    }
    TRY(group->usable_by(*device));
    const auto& entries = group->layout->entries;
    if (offsets.size() != group->layout->dynamic_offsets())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} dynamic offsets are given; the {} takes {}.", offsets.size(),
                                group->shown(), group->layout->dynamic_offsets()),
                    "give one for each binding with hasDynamicOffset");
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries.size() && next < offsets.size(); ++i) {
        if (!entries[i].has_dynamic_offset) continue;
        const std::uint32_t offset = offsets[next++];
        TRY(check_multiple(fmt::format("dynamic offset of binding {}", entries[i].binding), offset,
                           entries[i].is_uniform() ? limits.minUniformBufferOffsetAlignment
                                                   : limits.minStorageBufferOffsetAlignment));
        const BoundBuffer& bound = group->buffers[i];
        TRY(check_range(*bound.buffer, fmt::format("binding {} with its dynamic offset", entries[i].binding),
                        bound.offset + offset, bound.bytes));
    }
    is_ready_ = is_ready_ && place.group.get() == group && std::ranges::equal(place.offsets, offsets);
    if (place.group.get() != group) {
        // All that is set must be there at submission, whether a dispatch uses it or not, as
        // in other implementations.
        for (const BoundBuffer& bound : group->buffers) encoder->used.add(bound.buffer.get());
        place.group = Ref<BindGroup>(group);
    }
    place.offsets.assign(offsets.begin(), offsets.end());
    return {};
}

Result<void> WGPUComputePassEncoderImpl::set_immediates(std::uint32_t offset,
                                                        std::span<const std::byte> data) {
    TRY(check_multiple("offset of immediates", offset, 4));
    TRY(check_multiple("size of immediates", data.size(), 4));
    const std::uint32_t most = device->limits.maxImmediateSize;
    if (offset > most || data.size() > most - offset)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "Immediates of {} bytes are set from byte {} on; the device's maxImmediateSize is {}.",
                data.size(), offset, most),
            "use a uniform buffer, or require a larger limit of the device");
    if (data.empty()) return {};
    if (immediates_.empty()) immediates_.resize(most);
    std::memcpy(immediates_.data() + offset, data.data(), data.size());
    is_ready_ = false;
    return {};
}

std::uint64_t WGPUComputePassEncoderImpl::offset_of(std::uint32_t group, std::uint32_t entry) const {
    const Group& set = groups_[group];
    const auto& entries = set.group->layout->entries;
    std::uint64_t offset = set.group->buffers[entry].offset;
    if (!entries[entry].has_dynamic_offset) return offset;
    const auto before =
        std::ranges::count(entries.begin(), entries.begin() + entry, true, &LayoutEntry::has_dynamic_offset);
    return offset + set.offsets[static_cast<std::size_t>(before)];
}

Result<void> WGPUComputePassEncoderImpl::check_groups() const {
    const PipelineLayout& layout = *pipeline_->plan->layout;
    for (std::size_t i = 0; i < layout.groups.size(); ++i) {
        if (!layout.groups[i] || layout.groups[i]->entries.empty()) continue;
        const BindGroup* group = groups_[i].group.get();
        if (group == nullptr)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("Bind group {} isn't set, which the {} uses.", i, pipeline_->shown()),
                        "call wgpuComputePassEncoderSetBindGroup");
        if (group->layout == layout.groups[i]) continue;
        const bool is_exclusive = layout.groups[i]->exclusive_pipeline != 0;
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The layout of the {}, set as bind group {}, isn't the one of the {}.",
                        group->shown(), i, pipeline_->shown()),
            is_exclusive
                ? "make the bind group with wgpuComputePipelineGetBindGroupLayout of this pipeline: its "
                  "layout is automatic, and fits no other"
                : "make the bind group with an equal layout");
    }
    for (const NeededSize& needed : pipeline_->plan->needed) {
        const BindGroup& group = *groups_[needed.group].group;
        const std::uint64_t bytes = group.buffers[needed.entry].bytes;
        if (bytes < needed.bytes)
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("Binding {} of group {}, in the {}, has {} bytes; the variable {} needs {}.",
                            group.layout->entries[needed.entry].binding, needed.group, group.shown(), bytes,
                            needed.variable, needed.bytes),
                "bind more of the buffer");
    }
    return {};
}

/// A buffer that is writable storage in a dispatch is nothing else in it, and its
/// writable bindings don't overlap.
Result<void> WGPUComputePassEncoderImpl::check_usage_scope() const {
    struct Use {
        const GpuBuffer* buffer;
        std::uint64_t begin, end;
        bool is_writable;
        std::uint32_t group, binding;
    };
    InlineVector<Use, 16> uses;
    const auto& layouts = pipeline_->plan->layout->groups;
    for (std::uint32_t g = 0; g < layouts.size(); ++g) {
        if (!layouts[g]) continue;
        for (std::uint32_t i = 0; i < layouts[g]->entries.size(); ++i) {
            const LayoutEntry& entry = layouts[g]->entries[i];
            const BoundBuffer& bound = groups_[g].group->buffers[i];
            const std::uint64_t begin = offset_of(g, i);
            uses.push_back({bound.buffer.get(), begin, begin + bound.bytes,
                            entry.type == WGPUBufferBindingType_Storage, g, entry.binding});
        }
    }
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = i + 1; j < uses.size(); ++j) {
            const Use &a = uses[i], &b = uses[j];
            if (a.buffer != b.buffer || (!a.is_writable && !b.is_writable)) continue;
            const bool both = a.is_writable && b.is_writable;
            if (both && (a.end <= b.begin || b.end <= a.begin)) continue;
            return fail(ErrorCode::conflict,
                        fmt::format("Bindings {} of group {} and {} of group {} are both of the {}, and {}.",
                                    a.binding, a.group, b.binding, b.group, a.buffer->shown(),
                                    both ? "overlap; both are writable" : "one of them is writable"),
                        both ? "bind parts that don't overlap" : "bind another buffer");
        }
    return {};
}

Result<void> WGPUComputePassEncoderImpl::prepare() {
    if (!pipeline_)
        return fail(ErrorCode::invalid_argument, "No pipeline is set.",
                    "call wgpuComputePassEncoderSetPipeline");
    TRY(check_groups());
    TRY(check_usage_scope());
    const PlannedPipeline& plan = *pipeline_->plan;
    std::vector<Argument> arguments;
    arguments.reserve(plan.bindings.size());
    bool is_complete = pipeline_->kernel.has_value();
    for (const KernelBinding& binding : plan.bindings) {
        if (binding.is_immediate) {
            // Immediates that aren't set are zero.
            if (immediates_.empty()) immediates_.resize(device->limits.maxImmediateSize);
            const std::span<const std::byte> bytes(immediates_.data(), plan.immediate_bytes);
            arguments.emplace_back(binding.where, ArgumentValue{InlineVector<std::byte, 64>(bytes), {}});
            continue;
        }
        const BoundBuffer& bound = groups_[binding.group].group->buffers[binding.entry];
        const auto storage = bound.buffer->storage();
        if (!storage) {  // destroyed: an error once it is submitted
            is_complete = false;
            break;
        }
        arguments.emplace_back(
            binding.where,
            BufferRange{storage->buffer, offset_of(binding.group, binding.entry), bound.bytes});
    }
    bound_.reset();
    if (is_complete) bound_ = TRY(device->session.bind(*pipeline_->kernel, std::move(arguments)));
    is_ready_ = true;
    return {};
}

Result<void> WGPUComputePassEncoderImpl::dispatch(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    if (!is_ready_) TRY(prepare());
    const std::uint32_t most = device->limits.maxComputeWorkgroupsPerDimension;
    if (std::max({x, y, z}) > most)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "{} x {} x {} workgroups are dispatched; the device's maxComputeWorkgroupsPerDimension is "
                "{}.",
                x, y, z, most),
            "use more axes, or require a larger limit of the device");
    if (!bound_ || x == 0 || y == 0 || z == 0) return {};
    return encoder->recording.dispatch(*bound_, Workgroups{x, y, z});
}

Result<void> WGPUComputePassEncoderImpl::dispatch_indirect(GpuBuffer& buffer, std::uint64_t offset) {
    TRY(buffer.usable_by(*device));
    if (!is_ready_) TRY(prepare());
    TRY(check_usage(buffer, WGPUBufferUsage_Indirect, "read for the grid of a dispatch"));
    TRY(check_range(buffer, "grid of an indirect dispatch", offset, 12));
    TRY(check_multiple("offset of an indirect dispatch", offset, 4));
    const auto& layouts = pipeline_->plan->layout->groups;
    for (std::size_t g = 0; g < layouts.size(); ++g)
        for (std::size_t i = 0; layouts[g] && i < layouts[g]->entries.size(); ++i)
            if (layouts[g]->entries[i].type == WGPUBufferBindingType_Storage &&
                groups_[g].group->buffers[i].buffer.get() == &buffer)
                return fail(
                    ErrorCode::conflict,
                    fmt::format(
                        "The {} has the grid of the dispatch, and is writable binding {} of group {}.",
                        buffer.shown(), layouts[g]->entries[i].binding, g),
                    "keep the grid in another buffer");
    encoder->used.add(&buffer);
    auto storage = buffer.storage();
    if (!bound_ || !storage) return {};
    encoder->recording.dispatch_indirect(*bound_, {std::move(storage), offset, 12},
                                         device->limits.maxComputeWorkgroupsPerDimension);
    return {};
}
