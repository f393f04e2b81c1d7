// queue.hpp - a device's queue: submits command buffers, writes buffers, and keeps what work in flight uses.
//
// Work runs in the order of its submission. The queue is a part of its device; a program's reference to it
// keeps the device. Threads: any.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/driver/device/ticket.hpp>
#include <muster/webgpu/command_encoder.hpp>

namespace muster::webgpu {

/// The work that was submitted before some moment: since work runs in order, the last of it.
class SubmittedWork {
  public:
    SubmittedWork() = default;
    explicit SubmittedWork(std::optional<Ticket> last) : last_(std::move(last)) {}
    bool is_done() const { return !last_ || last_->done(); }
    void wait(std::chrono::nanoseconds most) const {
        if (last_) (void)last_->wait(most);
    }
    /// The end of the last part; call once it is done.
    Result<Timing> result() const {
        return last_ ? last_->wait(std::chrono::nanoseconds(0)) : Result<Timing>();
    }
    /// Calls `then` once it is done, perhaps on another thread. False: it can't.
    bool on_done(std::function<void()> then) const;

  private:
    std::optional<Ticket> last_;
};

}  // namespace muster::webgpu

struct WGPUQueueImpl final : muster::webgpu::Object {
    explicit WGPUQueueImpl(muster::webgpu::GpuDevice& device)
        : Object(muster::webgpu::Kind::queue, {}, 0), device(device) {}
    ~WGPUQueueImpl() override;

    muster::webgpu::GpuDevice& device;

    /// Returns the number of the submission.
    std::uint64_t submit(std::string_view call, std::span<const WGPUCommandBuffer> commands);
    muster::Result<void> write(muster::webgpu::GpuBuffer& buffer, std::uint64_t offset,
                               std::span<const std::byte> data);
    muster::webgpu::SubmittedWork submitted() const;
    /// The work up to a submission.
    muster::webgpu::SubmittedWork submitted(std::uint64_t number) const;
    /// Lets go of what ended work has used, and reports its errors.
    void retire();
    /// Ends all work, for a device that is destroyed. What a stuck kernel may still use is never freed.
    void close();

  protected:
    void first_ref() override { device.keep(); }
    void last_release() override { device.drop(); }

  private:
    /// The objects that work in flight uses.
    struct Flight {
        std::uint64_t number = 0;
        muster::Ticket last;
        std::vector<std::shared_ptr<muster::webgpu::Storage>> storages;
        muster::webgpu::Recording recording;
    };
    muster::Result<void> check(std::span<const WGPUCommandBuffer> commands) const;
    muster::Result<void> run(std::span<const WGPUCommandBuffer> commands);
    std::vector<muster::Error> retired();

    mutable std::mutex mutex_;  // guards what follows
    std::uint64_t submissions_ = 0;
    std::optional<muster::Ticket> last_;  // in flight, or ended since
    std::deque<Flight> flights_;
    muster::webgpu::Recording::Clock clock_;
};

namespace muster::webgpu {
using Queue = ::WGPUQueueImpl;
}
