#include <algorithm>
#include <utility>

#include <muster/backend-vulkan/check.hpp>
#include <muster/backend-vulkan/launch.hpp>

namespace muster::vulkan {
namespace {

Error lost() {
    return {ErrorCode::device_lost,
            "The Vulkan device was lost before the kernel's end.",
            "open a new session",
            {}};
}

}  // namespace

Result<Timing> Job::wait(std::chrono::nanoseconds timeout) {
    if (!settled()) {
        auto end = queue_.timeline().wait(number_.load(std::memory_order_acquire), timeout);
        if (!end && end.error().code == ErrorCode::timed_out) return std::unexpected(std::move(end).error());
        queue_.look();
    }
    return *outcome_;
}

bool Job::done() const {
    return settled() ||
           queue_.timeline().state(number_.load(std::memory_order_acquire)) != Timeline::State::running;
}

void Queue::Line::push(Batch* batch) {
    batch->next = nullptr;
    (last ? last->next : first) = batch;
    last = batch;
}

Batch* Queue::Line::pop() {
    Batch* const batch = first;
    if (!batch) return nullptr;
    first = batch->next;
    if (!first) last = nullptr;
    return batch;
}

Batch* Queue::Line::take(const Recipe& recipe) {
    Batch* before = nullptr;
    for (Batch* batch = first; batch; before = std::exchange(batch, batch->next)) {
        if (!batch->holds(recipe)) continue;
        (before ? before->next : first) = batch->next;
        if (last == batch) last = before;
        return batch;
    }
    return nullptr;
}

Queue::Queue(const LogicalDevice& device, Timeline& timeline, bool timestamps)
    : device_(device),
      timeline_(timeline),
      timestamps_(timestamps && device.physical().queue.timestamp_bits != 0),
      pool_(device) {}

Queue::~Queue() = default;

/// What has ended makes room. Batches of a lost device don't: the device may hold on to them.
void Queue::retire() {
    while (Batch* const batch = in_flight_.first) {
        const Timeline::State state = timeline_.state(batch->number);
        if (state == Timeline::State::running) return;
        in_flight_.pop();
        if (state == Timeline::State::lost) {
            batch->fail_all(lost());
            continue;
        }
        const auto now = std::chrono::steady_clock::now();
        const auto took = now - std::max(batch->submitted_at, last_end_);
        last_end_ = now;
        batch->wall_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
        batch->settle();
        ended_ = batch->sequence;
        unused_.push(batch);
    }
}

void Queue::look() {
    const std::lock_guard lock(mutex_);
    retire();
}

Result<Batch*> Queue::unused() {
    if (Batch* const batch = unused_.pop()) return batch;
    if (pool_.get() == VK_NULL_HANDLE) {
        const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = device_.physical().queue.family};
        TRY(check("vkCreateCommandPool", [&] {
            return device_.table().vkCreateCommandPool(device_.handle(), &info, nullptr, pool_.out());
        }));
    }
    batches_.push_back(TRY(Batch::make(device_, pool_.get(), timestamps_)));
    return batches_.back().get();
}

Result<void> Queue::record(Batch& batch, const PipelineExecutable& executable, BoundSets& sets,
                           const Launch& launch, const Recipe& recipe, const std::shared_ptr<Job>& job) {
    TRY(batch.begin());
    batch.add(executable, sets, launch, recipe, job);
    return batch.end();
}

Result<void> Queue::flush(Batch& batch) {
    batch.submitted_at = std::chrono::steady_clock::now();
    batch.number = TRY(timeline_.submit(batch.commands()));
    batch.announce();
    in_flight_.push(&batch);
    return {};
}

Result<Submitted> Queue::submit(const Launch& launch) {
    const auto& executable = static_cast<const PipelineExecutable&>(*launch.executable);
    const std::lock_guard lock(mutex_);
    if (closed_) return std::unexpected(lost());
    retire();
    BoundSets& sets = *TRY(executable.descriptors.find(launch.bindings, ended_));
    const Recipe recipe{executable.serial, &sets, sets.written, launch.origin, launch.extent, launch.grid};
    auto job = std::allocate_shared<Job>(jobs_, *this);
    Batch* batch = unused_.take(recipe);
    const bool repeats = batch != nullptr;
    if (!repeats) batch = TRY(unused());
    batch->sequence = ++begun_;
    sets.last_batch = batch->sequence;
    auto submitted = [&]() -> Result<void> {
        if (repeats)
            batch->repeat(job);
        else
            TRY(record(*batch, executable, sets, launch, recipe, job));
        return flush(*batch);
    }();
    if (!submitted) {
        batch->fail_all(submitted.error());
        unused_.push(batch);
        return std::unexpected(std::move(submitted).error());
    }
    return job;
}

void Queue::abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (Batch* const batch = in_flight_.pop()) batch->fail_all(lost());
}

}  // namespace muster::vulkan
