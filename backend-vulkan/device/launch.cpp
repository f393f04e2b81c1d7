#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <muster/backend-vulkan/device/launch.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

Error lost() {
    return {ErrorCode::device_lost,
            "The Vulkan device was lost before the kernel's end.",
            "open a new session",
            {}};
}

/// Keeps a launch's descriptor sets from being rewritten until the batch has ended.
void note_use(const Recipe& recipe, const Batch& batch) {
    if (const auto* const launch = std::get_if<LaunchRecipe>(&recipe))
        launch->sets->last_batch = batch.sequence;
}

}  // namespace

Result<Timing> Job::wait(std::chrono::nanoseconds timeout) {
    if (!outcome_.settled() && number_.load(std::memory_order_acquire) == 0) queue_.flush();
    if (!outcome_.settled()) {
        const std::uint64_t number = number_.load(std::memory_order_acquire);
        queue_.begin_watch(number);
        auto end = queue_.timeline().wait(number, timeout);
        if (end || end.error().code != ErrorCode::timed_out) queue_.settle_ended();
        queue_.end_watch(number);
        if (!end && end.error().code == ErrorCode::timed_out) return std::unexpected(std::move(end).error());
    }
    return outcome_.get();
}

Result<void> Job::check_loops() const {
    if (!watched_loops_) return {};
    std::uint32_t loop = 0;
    std::memcpy(&loop, values_[values_.size() - 1]->mapped(), sizeof loop);
    if (loop == 0) return {};
    return fail(
        ErrorCode::limit_exceeded,
        fmt::format("The Vulkan driver ended a loop of {} ({}) too early: it allows 65,535 iterations of all "
                    "loops of an invocation together. What the kernel wrote is wrong.",
                    watched_loops_->entry, watched_loops_->places[loop - 1]),
        "open a new session, on another device (the CPU backend has no such limit), or split the work "
        "into more invocations");
}

bool Job::done() const {
    if (!outcome_.settled() && number_.load(std::memory_order_acquire) == 0) {
        queue_.try_flush();
        if (number_.load(std::memory_order_acquire) == 0) return outcome_.settled();
    }
    return outcome_.settled() ||
           queue_.timeline().state(number_.load(std::memory_order_acquire)) != Timeline::State::running;
}

Queue::Queue(const LogicalDevice& device, Timeline& timeline, bool timestamps, bool staged)
    : device_(device),
      timeline_(timeline),
      timestamps_(timestamps && device.physical().queue.timestamp_bits != 0),
      values_(device, timeline, staged) {}

Queue::~Queue() = default;

/// True if the host knows when the first batch in flight ended: a thread waits for it, or
/// it still ran a moment ago.
bool Queue::saw_end(const Batch& batch, std::chrono::steady_clock::time_point now) const {
    constexpr std::chrono::microseconds moment(100);
    return batch.began_alone &&
           ((watched_ == batch.number && watchers_ > 0) || now - seen_running_at_ <= moment);
}

void Queue::begin_watch(std::uint64_t number) {
    if (timestamps_) return;
    const std::lock_guard lock(mutex_);
    retire();
    const Batch* const first = in_flight_.first();
    if (!first || first->number != number) return;
    if (watched_ != number) watchers_ = 0;
    watched_ = number;
    ++watchers_;
}

void Queue::end_watch(std::uint64_t number) {
    if (timestamps_) return;
    const std::lock_guard lock(mutex_);
    if (watched_ != number || watchers_ == 0) return;
    --watchers_;
    if (const Batch* const first = in_flight_.first(); first && first->number == number)
        seen_running_at_ = std::chrono::steady_clock::now();  // the wait has timed out
}

/// Settles what has ended. Batches of a lost device aren't reused: the device may still use them.
void Queue::retire() {
    while (Batch* const batch = in_flight_.first()) {
        const Timeline::State state = timeline_.state(batch->number);
        if (state == Timeline::State::running) return;
        in_flight_.pop();
        if (state == Timeline::State::lost) {
            batch->fail_all(lost());
            continue;
        }
        const auto now = std::chrono::steady_clock::now();
        batch->seen_ns.reset();
        if (saw_end(*batch, now))
            batch->seen_ns =
                static_cast<std::uint64_t>(std::chrono::nanoseconds(now - batch->submitted_at).count());
        if (loop_error_)
            batch->fail_all(*loop_error_);
        else if (auto settled = batch->settle(); !settled)
            loop_error_ = std::move(settled).error();
        ended_ = batch->sequence;
        unused_.push(batch);
    }
}

void Queue::settle_ended() {
    const std::lock_guard lock(mutex_);
    retire();
}

bool Queue::is_idle() {
    const std::lock_guard lock(mutex_);
    retire();
    return in_flight_.first() == nullptr && gathered_ == nullptr;
}

Result<Batch*> Queue::unused() {
    if (Batch* const batch = unused_.pop()) return batch;
    if (pool_.get() == VK_NULL_HANDLE) pool_ = TRY(make_command_pool(device_));
    batches_.push_back(TRY(Batch::make(device_, pool_.get(), timestamps_)));
    return batches_.back().get();
}

Result<void> Queue::submit(Batch& batch) {
    batch.submitted_at = std::chrono::steady_clock::now();
    batch.began_alone = in_flight_.first() == nullptr;
    if (batch.began_alone) seen_running_at_ = batch.submitted_at;
    auto number = timeline_.submit(batch.commands());
    if (!number) {
        batch.fail_all(number.error());
        unused_.push(&batch);
        return std::unexpected(std::move(number).error());
    }
    batch.number = *number;
    batch.announce();
    in_flight_.push(&batch);
    return {};
}

/// Submits the gathered batch. If that fails, its jobs get the error.
void Queue::flush_gathered() {
    Batch* const batch = std::exchange(gathered_, nullptr);
    if (!batch) return;
    fills_batches_ = batch->full();
    if (const auto ended = batch->end(); ended) {
        (void)submit(*batch);
    } else {
        batch->fail_all(ended.error());
        unused_.push(batch);
    }
}

void Queue::flush() {
    const std::lock_guard lock(mutex_);
    flush_gathered();
}

void Queue::try_flush() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) flush_gathered();
}

Result<void> Queue::run_now(const Recipe& recipe, const std::shared_ptr<Job>& job) {
    Batch* batch = unused_.take([&](const Batch& one) { return one.holds(recipe); });
    const bool repeats = batch != nullptr;
    if (!repeats) batch = TRY(unused());
    batch->sequence = ++begun_;
    note_use(recipe, *batch);
    const auto recorded = [&]() -> Result<void> {
        if (repeats)
            batch->begin_again();
        else
            TRY(batch->begin());
        TRY(batch->add(recipe, job));
        return batch->end();
    }();
    if (recorded) return submit(*batch);
    batch->fail_all(recorded.error());
    unused_.push(batch);
    return recorded;
}

/// Launches that come faster than the device runs them often recur in the same order.
Result<Batch*> Queue::begin_gathering(const Recipe& recipe) {
    const auto begins = [&](const Batch& one) { return one.begins_with(recipe); };
    if (Batch* const batch = fills_batches_ ? unused_.take(begins) : nullptr) {
        batch->begin_again();
        return batch;
    }
    Batch* const batch = TRY(unused());
    if (auto begun = batch->begin(); !begun) {
        unused_.push(batch);
        return std::unexpected(std::move(begun).error());
    }
    return batch;
}

Result<void> Queue::gather(const Recipe& recipe, const std::shared_ptr<Job>& job) {
    if (!gathered_) {
        gathered_ = TRY(begin_gathering(recipe));
        gathered_->sequence = ++begun_;
        gathers_.notify_one();
    }
    note_use(recipe, *gathered_);
    if (auto added = gathered_->add(recipe, job); !added) {
        Batch* const batch = std::exchange(gathered_, nullptr);
        batch->fail_all(added.error());
        unused_.push(batch);
        return added;
    }
    if (gathered_->full()) flush_gathered();
    return {};
}

Result<Submitted> Queue::submit(const Launch& launch) {
    const auto& executable = static_cast<const PipelineExecutable&>(*launch.executable);
    const std::lock_guard lock(mutex_);
    TRY(make_ready());
    auto job = std::allocate_shared<Job>(jobs_, *this);
    InlineVector<BoundMemory, 8> bound;
    TRY(values_.place(launch.bindings, bound, job->values()));
    if (executable.watched_loops) {
        TRY(values_.place_report(bound, job->values()));
        job->watch(executable.watched_loops);
    }
    BoundSets& sets = *TRY(executable.descriptors.find(bound, ended_));
    return submit(LaunchRecipe{&executable, executable.serial, &sets, sets.written, launch.origin,
                               launch.extent, launch.grid},
                  std::move(job));
}

Result<Submitted> Queue::transfer(const MemoryTransfer& transfer) {
    const DeviceMemory& to = of_device(*transfer.to);
    TransferRecipe recipe{.to = to.block().buffer.get(),
                          .to_block = to.block().serial,
                          .to_offset = to.offset() + transfer.to_offset,
                          .bytes = transfer.bytes,
                          .word = transfer.word};
    if (transfer.from) {
        const DeviceMemory& from = of_device(*transfer.from);
        recipe.from = from.block().buffer.get();
        recipe.from_block = from.block().serial;
        recipe.from_offset = from.offset() + transfer.from_offset;
    }
    const std::lock_guard lock(mutex_);
    TRY(make_ready());
    return submit(recipe, std::allocate_shared<Job>(jobs_, *this));
}

/// Makes the queue ready for more work.
Result<void> Queue::make_ready() {
    if (closed_) return std::unexpected(lost());
    retire();
    if (loop_error_) return std::unexpected(*loop_error_);
    if (!in_flight_.first()) flush_gathered();
    return {};
}

Result<Submitted> Queue::submit(const Recipe& recipe, std::shared_ptr<Job> job) {
    if (in_flight_.first() && start_thread())
        TRY(gather(recipe, job));
    else
        TRY(run_now(recipe, job));
    return job;
}

/// False if the system can't start a thread.
bool Queue::start_thread() {
    if (thread_.joinable()) return true;
    try {
        thread_ = std::thread([this] { run_thread(); });
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

void Queue::run_thread() {
    constexpr std::chrono::milliseconds slice(500);  // after which closed_ is checked, at the latest
    std::unique_lock lock(mutex_);
    for (;;) {
        gathers_.wait(lock, [&] { return closed_ || gathered_; });
        if (closed_) return;
        if (const Batch* const last = in_flight_.last()) {
            const std::uint64_t number = last->number;
            lock.unlock();
            (void)timeline_.wait(number, slice);
            lock.lock();
            retire();
        }
        if (!in_flight_.first() && !closed_) flush_gathered();
    }
}

void Queue::fail_all(const Error& why) {
    while (Batch* const batch = in_flight_.pop()) batch->fail_all(why);
    if (Batch* const batch = std::exchange(gathered_, nullptr)) batch->fail_all(why);
}

void Queue::abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    gathers_.notify_all();
    if (thread_.joinable()) thread_.detach();  // nobody closes an abandoned queue
    fail_all(lost());
}

void Queue::close() {
    {
        const std::lock_guard lock(mutex_);
        flush_gathered();
        closed_ = true;
        gathers_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    device_.wait_idle();
    const std::lock_guard lock(mutex_);
    retire();
    if (in_flight_.first() || gathered_)
        fail_all(lost());  // else no error is made: no memory may be left for it
}

}  // namespace muster::vulkan
