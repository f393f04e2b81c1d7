#include <algorithm>
#include <thread>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/fence_timeline.hpp>
#include <muster/backend-vulkan/native/timeline.hpp>

namespace muster::vulkan {
namespace {

class SemaphoreTimeline final : public Timeline {
  public:
    explicit SemaphoreTimeline(const LogicalDevice& device)
        : Timeline(device),
          wait_(core(device) ? device.table().vkWaitSemaphores : device.table().vkWaitSemaphoresKHR),
          value_(core(device) ? device.table().vkGetSemaphoreCounterValue
                              : device.table().vkGetSemaphoreCounterValueKHR),
          semaphore_(device) {}

    Result<void> create() {
        const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                             .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
        const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
        return check("vkCreateSemaphore", [&] {
            return device().table().vkCreateSemaphore(device().handle(), &info, nullptr, semaphore_.out());
        });
    }

  private:
    static bool core(const LogicalDevice& device) { return device.physical().version >= VulkanVersion::v1_2; }

    Result<void> enqueue(VkCommandBuffer commands, std::uint64_t number) override {
        const VkSemaphore semaphore = semaphore_.get();
        const VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                   .signalSemaphoreValueCount = 1,
                                                   .pSignalSemaphoreValues = &number};
        const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .pNext = &values,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands,
                                .signalSemaphoreCount = 1,
                                .pSignalSemaphores = &semaphore};
        return device().submit(info, VK_NULL_HANDLE);
    }

    Result<void> await(std::uint64_t number, std::chrono::nanoseconds timeout) override {
        const VkSemaphore semaphore = semaphore_.get();
        const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                       .semaphoreCount = 1,
                                       .pSemaphores = &semaphore,
                                       .pValues = &number};
        return check_wait("vkWaitSemaphores", [&] {
            return wait_(device().handle(), &info, static_cast<std::uint64_t>(timeout.count()));
        });
    }

    Result<std::uint64_t> reached() override {
        std::uint64_t value = 0;
        TRY(check("vkGetSemaphoreCounterValue",
                  [&] { return value_(device().handle(), semaphore_.get(), &value); }));
        return value;
    }

    PFN_vkWaitSemaphores wait_;
    PFN_vkGetSemaphoreCounterValue value_;
    UniqueSemaphore semaphore_;
};

}  // namespace

Result<std::unique_ptr<Timeline>> Timeline::create(const LogicalDevice& device, bool with_semaphore) {
    if (!with_semaphore) return std::make_unique<FenceTimeline>(device);
    auto timeline = std::make_unique<SemaphoreTimeline>(device);
    TRY(timeline->create());
    return timeline;
}

Result<std::uint64_t> Timeline::submit(VkCommandBuffer commands) {
    const std::lock_guard lock(submit_mutex_);
    const std::uint64_t number = last() + 1;
    TRY(enqueue(commands, number));
    submitted_.store(number, std::memory_order_release);
    return number;
}

void Timeline::saw_end_of(std::uint64_t number) {
    std::uint64_t known = ended_.load(std::memory_order_relaxed);
    while (known < number && !ended_.compare_exchange_weak(known, number, std::memory_order_release)) {
    }
}

Result<void> Timeline::wait(std::uint64_t number, std::chrono::nanoseconds timeout) {
    if (number <= ended_.load(std::memory_order_acquire)) return {};
    if (lost_.load(std::memory_order_acquire))  // consistent with state(), which reports the loss as the end
        return fail(ErrorCode::device_lost, "The Vulkan device was lost.", "open a new session");
    timeout =
        std::clamp<std::chrono::nanoseconds>(timeout, std::chrono::nanoseconds(0), std::chrono::hours(1));
    auto end = await(number, timeout);
    if (end) {
        saw_end_of(number);
        return {};
    }
    if (end.error().code == ErrorCode::device_lost) {
        lost_.store(true, std::memory_order_release);
    } else if (end.error().code != ErrorCode::timed_out) {
        // A wait that fails for lack of memory says nothing about the work, which still
        // runs: the caller waits again.
        std::this_thread::sleep_for(
            std::min<std::chrono::nanoseconds>(timeout, std::chrono::milliseconds(1)));
        end.error().code = ErrorCode::timed_out;
    }
    return end;
}

Result<void> Timeline::wait(std::uint64_t number) {
    for (;;) {
        auto end = wait(number, std::chrono::seconds(1));
        if (end || end.error().code != ErrorCode::timed_out) return end;
    }
}

Timeline::State Timeline::state(std::uint64_t number) {
    if (number <= ended_.load(std::memory_order_acquire)) return State::ended;
    if (lost_.load(std::memory_order_acquire)) return State::lost;
    const auto value = reached();
    if (!value) {  // may also fail for lack of memory, which says nothing about the work
        if (value.error().code != ErrorCode::device_lost) return State::running;
        lost_.store(true, std::memory_order_release);
        return State::lost;
    }
    saw_end_of(*value);
    return number <= *value ? State::ended : State::running;
}

}  // namespace muster::vulkan
