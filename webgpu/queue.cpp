#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/queue.hpp>

namespace muster::webgpu {

bool SubmittedWork::on_done(std::function<void()> then) const {
    return last_ && last_->on_end([then = std::move(then)](const Result<Timing>&) { then(); }).has_value();
}

namespace {

/// The end of all work submitted so far.
class WorkDoneEvent final : public Event {
  public:
    WorkDoneEvent(Queue& queue, const WGPUQueueWorkDoneCallbackInfo& info)
        : Event(mode_of(info.mode), &queue), device_(&queue.device), info_(info), work_(queue.submitted()) {}

    bool is_ready() override { return work_.is_done(); }
    void wait(std::chrono::nanoseconds most) override { work_.wait(most); }
    bool on_ready(std::function<void()> then) override { return work_.on_done(std::move(then)); }
    void call(bool is_cancelled) override {
        if (!is_cancelled) device_->queue().retire();
        if (info_.callback == nullptr) return;
        const auto answer = [&](WGPUQueueWorkDoneStatus status, std::string_view message) {
            info_.callback(status, view_of(message), info_.userdata1, info_.userdata2);
        };
        if (is_cancelled)
            return answer(WGPUQueueWorkDoneStatus_CallbackCancelled, "The instance was released.");
        if (const auto result = work_.result(); !result)
            return answer(WGPUQueueWorkDoneStatus_Error, result.error().to_string());
        answer(WGPUQueueWorkDoneStatus_Success, {});
    }

  private:
    const Ref<GpuDevice> device_;
    const WGPUQueueWorkDoneCallbackInfo info_;
    const SubmittedWork work_;
};

}  // namespace
}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUQueueImpl::~WGPUQueueImpl() { close(); }

Result<void> WGPUQueueImpl::check(std::span<const WGPUCommandBuffer> commands) const {
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const CommandBuffer* buffer = commands[i];
        if (buffer == nullptr)
            return fail(ErrorCode::invalid_argument, fmt::format("Command buffer {} is null.", i),
                        "give one");
        TRY(buffer->usable_by(device));
        bool is_twice = buffer->is_submitted.load(std::memory_order_acquire);
        for (std::size_t j = 0; j < i; ++j) is_twice |= commands[j] == buffer;
        if (is_twice)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The {} is submitted twice.", buffer->shown()),
                        "encode it again: a command buffer is submitted once");
        const auto checked = [&]() -> Result<void> {
            for (const Ref<GpuBuffer>& each : buffer->used.buffers) TRY(each->free_for_work());
            for (const Ref<QuerySet>& each : buffer->used.query_sets) TRY(each->free_for_work());
            return {};
        };
        TRY(during([&] { return fmt::format("submitting the {}", buffer->shown()); }, checked()));
    }
    return {};
}

/// Precondition: the mutex is locked.
Result<void> WGPUQueueImpl::run(std::span<const WGPUCommandBuffer> commands) {
    for (CommandBuffer* buffer : commands) {
        if (buffer->is_submitted.exchange(true, std::memory_order_acq_rel)) continue;
        std::optional<Recording> recording = std::move(buffer->recording);
        buffer->recording.reset();
        UsedObjects used = std::exchange(buffer->used, {});
        if (!recording || recording->empty()) continue;
        auto last = during([&] { return fmt::format("submitting the {}", buffer->shown()); },
                           recording->submit(clock_));
        if (!last) return std::unexpected(std::move(last).error());
        if (!*last || (*last)->done()) continue;
        last_ = **last;
        flights_.push_back({submissions_, **last, std::move(used.storages), *std::move(recording)});
    }
    return {};
}

std::uint64_t WGPUQueueImpl::submit(std::string_view call, std::span<const WGPUCommandBuffer> commands) {
    std::uint64_t number = 0;
    std::vector<Error> errors;
    device.attempt(call, [&]() -> Result<void> {
        if (device.is_lost()) return {};
        const std::lock_guard lock(mutex_);
        errors = retired();
        number = ++submissions_;
        const auto valid = check(commands);
        if (valid) return run(commands);
        for (CommandBuffer* buffer : commands)
            if (buffer != nullptr) buffer->is_submitted.store(true, std::memory_order_release);
        return valid;
    });
    for (const Error& each : errors) device.report(each);
    return number;
}

Result<void> WGPUQueueImpl::write(GpuBuffer& buffer, std::uint64_t offset, std::span<const std::byte> data) {
    TRY(buffer.usable_by(device));
    TRY(buffer.free_for_work());
    TRY(check_usage(buffer, WGPUBufferUsage_CopyDst, "written"));
    TRY(check_multiple("offset of what is written", offset, 4));
    TRY(check_multiple("size of what is written", data.size(), 4));
    TRY(check_range(buffer, "data", offset, data.size()));
    const auto storage = buffer.storage();
    if (data.empty() || !storage || device.is_lost()) return {};
    return storage->buffer.write_bytes(data, offset);
}

SubmittedWork WGPUQueueImpl::submitted() const {
    const std::lock_guard lock(mutex_);
    return SubmittedWork(last_);
}

SubmittedWork WGPUQueueImpl::submitted(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    std::optional<Ticket> last;
    for (const Flight& flight : flights_)
        if (flight.number <= number) last = flight.last;
    return SubmittedWork(std::move(last));
}

/// Precondition: the mutex is locked.
std::vector<Error> WGPUQueueImpl::retired() {
    std::vector<Error> errors;
    while (!flights_.empty() && flights_.front().last.done()) {
        if (auto result = flights_.front().last.wait(std::chrono::nanoseconds(0)); !result)
            errors.push_back(std::move(result).error());
        flights_.pop_front();
    }
    return errors;
}

void WGPUQueueImpl::retire() {
    std::vector<Error> errors;
    {
        const std::lock_guard lock(mutex_);
        errors = retired();
    }
    for (const Error& each : errors) device.report(each);
}

void WGPUQueueImpl::close() {
    const std::lock_guard lock(mutex_);
    device.session.close();
    std::deque<Flight> left;
    for (Flight& flight : flights_) {
        const auto result = flight.last.wait(std::chrono::nanoseconds(0));
        const bool may_run = !result && (result.error().code == ErrorCode::device_lost ||
                                         result.error().code == ErrorCode::timed_out);
        if (may_run) left.push_back(std::move(flight));
    }
    flights_.clear();
    if (!left.empty()) new std::deque<Flight>(std::move(left));  // NOLINT: kept for ever
}

WGPUFuture wgpuQueueOnSubmittedWorkDone(WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info) {
    return queue->device.instance().futures->add(std::make_shared<WorkDoneEvent>(*queue, info));
}

void wgpuQueueSubmit(WGPUQueue queue, size_t count, WGPUCommandBuffer const* commands) {
    queue->submit("wgpuQueueSubmit", {commands, count});
}

void wgpuQueueWriteBuffer(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset, void const* data,
                          size_t size) {
    queue->device.attempt("wgpuQueueWriteBuffer", [&]() -> Result<void> {
        if (buffer == nullptr) return fail(ErrorCode::invalid_argument, "The buffer is null.", "give one");
        return queue->write(*buffer, offset, {static_cast<const std::byte*>(data), size});
    });
}

MUSTER_WEBGPU_OBJECT(Queue)
