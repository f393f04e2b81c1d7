// command_encoder.hpp - command encoders, their compute passes, and the command buffers that they end as.
//
// A mistake makes the encoder invalid, with the first one's sentence: wgpuCommandEncoderFinish reports it.
// Threads: encoders and passes one at a time, as webgpu.h says.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/webgpu/bind_group.hpp>
#include <muster/webgpu/compute_pipeline.hpp>
#include <muster/webgpu/recording.hpp>

namespace muster::webgpu {

/// The objects that must be there and free when a command buffer is submitted.
struct UsedObjects {
    std::vector<Ref<GpuBuffer>> buffers;
    std::vector<Ref<QuerySet>> query_sets;
    std::vector<std::shared_ptr<Storage>> storages = {};  // of the buffers, once finished

    void add(GpuBuffer* buffer) {
        if (buffers.empty() || buffers.back().get() != buffer) buffers.emplace_back(buffer);
    }
    void finish();
};

}  // namespace muster::webgpu

struct WGPUCommandBufferImpl final : muster::webgpu::DeviceObject {
    WGPUCommandBufferImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                          bool is_valid, std::optional<muster::webgpu::Recording> recording,
                          muster::webgpu::UsedObjects used)
        : DeviceObject(muster::webgpu::Kind::command_buffer, std::move(device), std::move(label), is_valid),
          recording(std::move(recording)),
          used(std::move(used)) {}
    std::atomic<bool> is_submitted{false};
    std::optional<muster::webgpu::Recording> recording;  // whoever sets is_submitted takes it
    muster::webgpu::UsedObjects used;
};

struct WGPUCommandEncoderImpl final : muster::webgpu::DeviceObject {
    WGPUCommandEncoderImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                           bool is_valid)
        : DeviceObject(muster::webgpu::Kind::command_encoder, device, std::move(label), is_valid),
          recording(device->session) {}

    enum class State : std::uint8_t { open, locked, ended };
    State state = State::open;
    std::optional<muster::Error> error;  // the first
    muster::webgpu::Recording recording;
    muster::webgpu::UsedObjects used;
    std::uint32_t debug_groups = 0;

    /// Runs a command, unless the encoder is in no state for it or has had an error.
    template <class Step>
    void encode(std::string_view call, Step&& step);
    void spoil(std::string_view call, muster::Error why);
};

struct WGPUComputePassEncoderImpl final : muster::webgpu::DeviceObject {
    WGPUComputePassEncoderImpl(muster::webgpu::Ref<WGPUCommandEncoderImpl> encoder, std::string label,
                               bool is_valid, bool has_timestamps)
        : DeviceObject(muster::webgpu::Kind::compute_pass, encoder->device, std::move(label), is_valid),
          encoder(std::move(encoder)),
          has_timestamps(has_timestamps) {}

    const muster::webgpu::Ref<WGPUCommandEncoderImpl> encoder;
    const bool has_timestamps;
    bool is_ended = false;
    std::uint32_t debug_groups = 0;

    void set_pipeline(muster::webgpu::ComputePipeline& pipeline);
    muster::Result<void> set_bind_group(std::uint32_t index, muster::webgpu::BindGroup* group,
                                        std::span<const std::uint32_t> offsets);
    muster::Result<void> set_immediates(std::uint32_t offset, std::span<const std::byte> data);
    /// Checks what is set for a dispatch, and binds it.
    muster::Result<void> prepare();
    muster::Result<void> dispatch(std::uint32_t x, std::uint32_t y, std::uint32_t z);
    muster::Result<void> dispatch_indirect(muster::webgpu::GpuBuffer& buffer, std::uint64_t offset);

    template <class Step>
    void encode(std::string_view call, Step&& step);

  private:
    static constexpr std::size_t most_groups = 8;  // limits.cpp grants no more
    struct Group {
        muster::webgpu::Ref<muster::webgpu::BindGroup> group;
        std::vector<std::uint32_t> offsets;
    };
    std::uint64_t offset_of(std::uint32_t group, std::uint32_t entry) const;
    muster::Result<void> check_groups() const;
    muster::Result<void> check_usage_scope() const;

    muster::webgpu::Ref<muster::webgpu::ComputePipeline> pipeline_;
    std::array<Group, most_groups> groups_;
    std::vector<std::byte> immediates_;
    bool is_ready_ = false;  // `bound_` is what is set
    std::optional<muster::BoundKernel> bound_;
};

namespace muster::webgpu {

using CommandBuffer = ::WGPUCommandBufferImpl;
using CommandEncoder = ::WGPUCommandEncoderImpl;
using ComputePass = ::WGPUComputePassEncoderImpl;

}  // namespace muster::webgpu

template <class Step>
void WGPUCommandEncoderImpl::encode(std::string_view call, Step&& step) {
    if (state != State::open || error) return spoil(call, {});
    muster::Result<void> done = step();
    if (!done) spoil(call, std::move(done).error());
}

template <class Step>
void WGPUComputePassEncoderImpl::encode(std::string_view call, Step&& step) {
    if (is_ended) {
        device->attempt(call, [&]() -> muster::Result<void> {
            return muster::fail(muster::ErrorCode::invalid_argument, "The " + shown() + " has ended.",
                                "begin another pass");
        });
        return;
    }
    if (encoder->error || !is_valid()) return;
    muster::Result<void> done = step();
    if (!done) encoder->spoil(call, std::move(done).error().during("encoding the " + shown()));
}
