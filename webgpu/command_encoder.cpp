#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/command_encoder.hpp>

namespace muster::webgpu {

void UsedObjects::finish() {
    const auto unique = [](auto& refs) {
        std::ranges::sort(refs, {}, [](const auto& ref) { return ref.get(); });
        refs.erase(std::ranges::unique(refs).begin(), refs.end());
    };
    unique(buffers);
    unique(query_sets);
    storages.reserve(buffers.size());
    for (const Ref<GpuBuffer>& buffer : buffers)
        if (auto storage = buffer->storage()) storages.push_back(std::move(storage));
}

namespace {

/// A part of a buffer for a command; without a storage if the buffer was destroyed, which
/// is an error at submission.
StorageRange part(const GpuBuffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
    return {buffer.storage(), offset, bytes};
}

Result<void> copy(CommandEncoder& encoder, GpuBuffer* from, std::uint64_t from_offset, GpuBuffer* to,
                  std::uint64_t to_offset, std::uint64_t bytes) {
    if (from == nullptr || to == nullptr)
        return fail(ErrorCode::invalid_argument, "The copy lacks a buffer.", "give source and destination");
    TRY(from->usable_by(*encoder.device));
    TRY(to->usable_by(*encoder.device));
    TRY(check_usage(*from, WGPUBufferUsage_CopySrc, "copied from"));
    TRY(check_usage(*to, WGPUBufferUsage_CopyDst, "copied to"));
    if (from == to)
        return fail(ErrorCode::conflict, fmt::format("The {} is copied to itself.", from->shown()),
                    "copy by way of another buffer");
    if (bytes == WGPU_WHOLE_SIZE) bytes = from->size - std::min(from_offset, from->size);
    TRY(check_multiple("size of a copy", bytes, 4));
    TRY(check_multiple("offset of a copy's source", from_offset, 4));
    TRY(check_multiple("offset of a copy's destination", to_offset, 4));
    TRY(check_range(*from, "source of the copy", from_offset, bytes));
    TRY(check_range(*to, "destination of the copy", to_offset, bytes));
    encoder.used.add(from);
    encoder.used.add(to);
    const StorageRange source = part(*from, from_offset, bytes), target = part(*to, to_offset, bytes);
    if (bytes == 0 || !source.storage || !target.storage) return {};
    return encoder.recording.copy(source, target);
}

Result<void> clear(CommandEncoder& encoder, GpuBuffer* buffer, std::uint64_t offset, std::uint64_t bytes) {
    if (buffer == nullptr)
        return fail(ErrorCode::invalid_argument, "No buffer is given to clear.", "give one");
    TRY(buffer->usable_by(*encoder.device));
    TRY(check_usage(*buffer, WGPUBufferUsage_CopyDst, "cleared"));
    if (bytes == WGPU_WHOLE_SIZE) bytes = buffer->size - std::min(offset, buffer->size);
    TRY(check_multiple("offset of what is cleared", offset, 4));
    TRY(check_multiple("size of what is cleared", bytes, 4));
    TRY(check_range(*buffer, "part to clear", offset, bytes));
    encoder.used.add(buffer);
    const StorageRange range = part(*buffer, offset, bytes);
    if (bytes == 0 || !range.storage) return {};
    return encoder.recording.clear(range);
}

Result<void> resolve(CommandEncoder& encoder, QuerySet* set, std::uint32_t first, std::uint32_t number,
                     GpuBuffer* to, std::uint64_t offset) {
    if (set == nullptr || to == nullptr)
        return fail(ErrorCode::invalid_argument, "Resolving queries lacks a query set or a buffer.",
                    "give both");
    TRY(set->usable_by(*encoder.device));
    TRY(to->usable_by(*encoder.device));
    TRY(check_usage(*to, WGPUBufferUsage_QueryResolve, "given resolved queries"));
    if (number > set->count || first > set->count - number)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} queries from {} on are resolved; the {} has {}.", number, first,
                                set->shown(), set->count),
                    "stay within the query set");
    TRY(check_multiple("offset of resolved queries", offset, 256));
    TRY(check_range(*to, "resolved queries", offset, std::uint64_t{number} * 8));
    encoder.used.add(to);
    encoder.used.query_sets.emplace_back(set);
    StorageRange range = part(*to, offset, std::uint64_t{number} * 8);
    if (number == 0 || !range.storage) return {};
    encoder.recording.resolve(set, first, number, std::move(range));
    return {};
}

/// Checks what a pass writes of the time, and begins it.
Result<void> begin_timestamps(CommandEncoder& encoder, const WGPUPassTimestampWrites& writes) {
    TRY(check_chain(writes.nextInChain, "WGPUPassTimestampWrites"));
    const std::uint32_t begin = writes.beginningOfPassWriteIndex, end = writes.endOfPassWriteIndex;
    const bool has_begin = begin != WGPU_QUERY_SET_INDEX_UNDEFINED,
               has_end = end != WGPU_QUERY_SET_INDEX_UNDEFINED;
    if (!has_begin && !has_end)
        return fail(ErrorCode::invalid_argument,
                    "The timestamps of the pass have neither a beginning nor an end.",
                    "set beginningOfPassWriteIndex or endOfPassWriteIndex, or leave timestampWrites null");
    if (has_begin && has_end && begin == end)
        return fail(ErrorCode::conflict,
                    fmt::format("Query {} is both the beginning and the end of the pass.", begin),
                    "use two queries");
    if (has_begin) TRY(check_timestamp(*encoder.device, writes.querySet, begin));
    if (has_end) TRY(check_timestamp(*encoder.device, writes.querySet, end));
    encoder.used.query_sets.emplace_back(writes.querySet);
    encoder.recording.begin_pass(writes.querySet, has_begin ? std::optional(begin) : std::nullopt,
                                 has_end ? std::optional(end) : std::nullopt);
    return {};
}

Error no_debug_group(std::string_view of) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("A debug group of the {} is popped, and none is open.", of),
                 "push one before",
                 {}};
}

// Markers and groups for debuggers, of an encoder or a pass.

template <class Encoder>
void mark(Encoder& encoder, std::string_view call) {
    encoder.encode(call, []() -> Result<void> { return {}; });
}
template <class Encoder>
void push_group(Encoder& encoder, std::string_view call) {
    encoder.encode(call, [&]() -> Result<void> {
        ++encoder.debug_groups;
        return {};
    });
}
template <class Encoder>
void pop_group(Encoder& encoder, std::string_view call) {
    encoder.encode(call, [&]() -> Result<void> {
        if (encoder.debug_groups == 0) return std::unexpected(no_debug_group(encoder.shown()));
        --encoder.debug_groups;
        return {};
    });
}

Error open_debug_groups(std::string_view of, std::uint32_t number) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} debug groups of the {} are open at its end.", number, of),
                 "pop each group that was pushed",
                 {}};
}

}  // namespace
}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

/// `why` without a message: the encoder is in no state for the call.
void WGPUCommandEncoderImpl::spoil(std::string_view call, Error why) {
    if (state == State::ended) {
        device->attempt(call, [&]() -> Result<void> {
            return fail(ErrorCode::invalid_argument, fmt::format("The {} has been finished.", shown()),
                        "create another encoder");
        });
        return;
    }
    if (error) return;
    if (why.message.empty())
        why = {ErrorCode::invalid_argument,
               fmt::format("The {} is used while a pass of it is open.", shown()),
               "end the pass before",
               {}};
    error = std::move(why).during(fmt::format("calling {}", call));
}

WGPUCommandEncoder wgpuDeviceCreateCommandEncoder(WGPUDevice device,
                                                  WGPUCommandEncoderDescriptor const* descriptor) {
    const bool is_valid = descriptor == nullptr || descriptor->nextInChain == nullptr ||
                          device->attempt("wgpuDeviceCreateCommandEncoder", [&] {
                              return check_chain(descriptor->nextInChain, "WGPUCommandEncoderDescriptor");
                          });
    return new CommandEncoder(device, descriptor != nullptr ? label_of(descriptor->label) : std::string(),
                              is_valid);
}
MUSTER_WEBGPU_OBJECT(CommandEncoder)

void wgpuCommandEncoderCopyBufferToBuffer(WGPUCommandEncoder encoder, WGPUBuffer from, uint64_t from_offset,
                                          WGPUBuffer to, uint64_t to_offset, uint64_t size) {
    encoder->encode("wgpuCommandEncoderCopyBufferToBuffer",
                    [&] { return copy(*encoder, from, from_offset, to, to_offset, size); });
}

void wgpuCommandEncoderClearBuffer(WGPUCommandEncoder encoder, WGPUBuffer buffer, uint64_t offset,
                                   uint64_t size) {
    encoder->encode("wgpuCommandEncoderClearBuffer", [&] { return clear(*encoder, buffer, offset, size); });
}

void wgpuCommandEncoderResolveQuerySet(WGPUCommandEncoder encoder, WGPUQuerySet set, uint32_t first,
                                       uint32_t number, WGPUBuffer to, uint64_t offset) {
    encoder->encode("wgpuCommandEncoderResolveQuerySet",
                    [&] { return resolve(*encoder, set, first, number, to, offset); });
}

void wgpuCommandEncoderWriteTimestamp(WGPUCommandEncoder encoder, WGPUQuerySet set, uint32_t index) {
    encoder->encode("wgpuCommandEncoderWriteTimestamp", [&]() -> Result<void> {
        TRY(check_timestamp(*encoder->device, set, index));
        encoder->used.query_sets.emplace_back(set);
        encoder->recording.write_timestamp(set, index);
        return {};
    });
}

void wgpuCommandEncoderInsertDebugMarker(WGPUCommandEncoder encoder, WGPUStringView) {
    mark(*encoder, "wgpuCommandEncoderInsertDebugMarker");
}
void wgpuCommandEncoderPushDebugGroup(WGPUCommandEncoder encoder, WGPUStringView) {
    push_group(*encoder, "wgpuCommandEncoderPushDebugGroup");
}
void wgpuCommandEncoderPopDebugGroup(WGPUCommandEncoder encoder) {
    pop_group(*encoder, "wgpuCommandEncoderPopDebugGroup");
}

WGPUComputePassEncoder wgpuCommandEncoderBeginComputePass(WGPUCommandEncoder encoder,
                                                          WGPUComputePassDescriptor const* descriptor) {
    const WGPUPassTimestampWrites* writes = descriptor != nullptr ? descriptor->timestampWrites : nullptr;
    bool has_begun = false;
    encoder->encode("wgpuCommandEncoderBeginComputePass", [&]() -> Result<void> {
        if (descriptor != nullptr && descriptor->nextInChain != nullptr)
            TRY(check_chain(descriptor->nextInChain, "WGPUComputePassDescriptor"));
        if (writes != nullptr) TRY(begin_timestamps(*encoder, *writes));
        encoder->state = CommandEncoder::State::locked;
        has_begun = true;
        return {};
    });
    return new ComputePass(encoder, descriptor != nullptr ? label_of(descriptor->label) : std::string(),
                           has_begun, writes != nullptr);
}

WGPUCommandBuffer wgpuCommandEncoderFinish(WGPUCommandEncoder encoder,
                                           WGPUCommandBufferDescriptor const* descriptor) {
    const bool is_valid = encoder->device->attempt("wgpuCommandEncoderFinish", [&]() -> Result<void> {
        if (descriptor != nullptr) TRY(check_chain(descriptor->nextInChain, "WGPUCommandBufferDescriptor"));
        const CommandEncoder::State state = std::exchange(encoder->state, CommandEncoder::State::ended);
        TRY(encoder->usable_by(*encoder->device));
        if (state == CommandEncoder::State::ended)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The {} has been finished before.", encoder->shown()),
                        "create another encoder");
        if (encoder->error)
            return std::unexpected(
                Error(*encoder->error).during(fmt::format("encoding the {}", encoder->shown())));
        if (state == CommandEncoder::State::locked)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The {} is finished while a pass of it is open.", encoder->shown()),
                        "end the pass before");
        if (encoder->debug_groups != 0)
            return std::unexpected(open_debug_groups(encoder->shown(), encoder->debug_groups));
        encoder->used.finish();
        encoder->recording.finish();
        return {};
    });
    std::optional<Recording> recording;
    if (is_valid) recording = std::move(encoder->recording);
    return new CommandBuffer(encoder->device,
                             descriptor != nullptr ? label_of(descriptor->label) : std::string(), is_valid,
                             std::move(recording), is_valid ? std::move(encoder->used) : UsedObjects{});
}

MUSTER_WEBGPU_OBJECT(CommandBuffer)

MUSTER_WEBGPU_OBJECT(ComputePassEncoder)

void wgpuComputePassEncoderInsertDebugMarker(WGPUComputePassEncoder pass, WGPUStringView) {
    mark(*pass, "wgpuComputePassEncoderInsertDebugMarker");
}
void wgpuComputePassEncoderPushDebugGroup(WGPUComputePassEncoder pass, WGPUStringView) {
    push_group(*pass, "wgpuComputePassEncoderPushDebugGroup");
}
void wgpuComputePassEncoderPopDebugGroup(WGPUComputePassEncoder pass) {
    pop_group(*pass, "wgpuComputePassEncoderPopDebugGroup");
}

void wgpuComputePassEncoderEnd(WGPUComputePassEncoder pass) {
    CommandEncoder& encoder = *pass->encoder;
    pass->encode("wgpuComputePassEncoderEnd", [&]() -> Result<void> {
        if (pass->debug_groups != 0)
            return std::unexpected(open_debug_groups(pass->shown(), pass->debug_groups));
        if (pass->has_timestamps) encoder.recording.end_pass();
        return {};
    });
    // An invalid pass never locked its encoder.
    if (!pass->is_ended && pass->is_valid() && encoder.state == CommandEncoder::State::locked)
        encoder.state = CommandEncoder::State::open;
    pass->is_ended = true;
}

void wgpuComputePassEncoderSetPipeline(WGPUComputePassEncoder pass, WGPUComputePipeline pipeline) {
    pass->encode("wgpuComputePassEncoderSetPipeline", [&]() -> Result<void> {
        if (pipeline == nullptr)
            return fail(ErrorCode::invalid_argument, "The pipeline is null.", "give one");
        TRY(pipeline->usable_by(*pass->device));
        pass->set_pipeline(*pipeline);
        return {};
    });
}

void wgpuComputePassEncoderSetBindGroup(WGPUComputePassEncoder pass, uint32_t index, WGPUBindGroup group,
                                        size_t offset_count, uint32_t const* offsets) {
    pass->encode("wgpuComputePassEncoderSetBindGroup", [&] {
        return pass->set_bind_group(index, group, {offsets, offset_count});
    });
}

void wgpuComputePassEncoderSetImmediates(WGPUComputePassEncoder pass, uint32_t offset, void const* data,
                                         size_t size) {
    pass->encode("wgpuComputePassEncoderSetImmediates", [&] {
        return pass->set_immediates(offset, {static_cast<const std::byte*>(data), size});
    });
}

void wgpuComputePassEncoderDispatchWorkgroups(WGPUComputePassEncoder pass, uint32_t x, uint32_t y,
                                              uint32_t z) {
    pass->encode("wgpuComputePassEncoderDispatchWorkgroups", [&] { return pass->dispatch(x, y, z); });
}

void wgpuComputePassEncoderDispatchWorkgroupsIndirect(WGPUComputePassEncoder pass, WGPUBuffer buffer,
                                                      uint64_t offset) {
    pass->encode("wgpuComputePassEncoderDispatchWorkgroupsIndirect", [&]() -> Result<void> {
        if (buffer == nullptr)
            return fail(ErrorCode::invalid_argument, "The indirect buffer is null.", "give one");
        return pass->dispatch_indirect(*buffer, offset);
    });
}

#if defined(MUSTER_WEBGPU_HAS_WGPU_H) || defined(MUSTER_WEBGPU_HAS_DAWN_H)
void wgpuComputePassEncoderWriteTimestamp(WGPUComputePassEncoder pass, WGPUQuerySet set, uint32_t index) {
    pass->encode("wgpuComputePassEncoderWriteTimestamp", [&]() -> Result<void> {
        TRY(check_timestamp(*pass->device, set, index));
        pass->encoder->used.query_sets.emplace_back(set);
        pass->encoder->recording.write_timestamp(set, index);
        return {};
    });
}
#endif
