#include <algorithm>
#include <utility>

#include <muster/backend-vulkan/check.hpp>
#include <muster/backend-vulkan/fence_timeline.hpp>

namespace muster::vulkan {

Result<std::unique_ptr<FenceTimeline::Mark>> FenceTimeline::unused() {
    std::unique_ptr<Mark> mark;
    if (!unused_.empty()) {
        const VkFence fence = unused_.back()->fence.get();
        TRY(check("vkResetFences",
                  [&] { return device().table().vkResetFences(device().handle(), 1, &fence); }));
        mark = std::move(unused_.back());
        unused_.pop_back();
        return mark;
    }
    mark = std::make_unique<Mark>();
    mark->fence = UniqueFence(device());
    const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(check("vkCreateFence", [&] {
        return device().table().vkCreateFence(device().handle(), &info, nullptr, mark->fence.out());
    }));
    return mark;
}

/// Fences are signalled in the queue's order. One that somebody waits for stays until a later call.
Result<void> FenceTimeline::retire() {
    while (!in_flight_.empty()) {
        Mark& first = *in_flight_.front();
        bool signalled = false;
        TRY(check("vkGetFenceStatus", [&] {
            const VkResult status = device().table().vkGetFenceStatus(device().handle(), first.fence.get());
            signalled = status == VK_SUCCESS;
            return status == VK_NOT_READY ? VK_SUCCESS : status;
        }));
        if (!signalled) return {};
        ended_ = first.number;
        if (first.waiters != 0) return {};
        unused_.push_back(std::move(in_flight_.front()));
        in_flight_.erase(in_flight_.begin());
    }
    return {};
}

Result<void> FenceTimeline::enqueue(VkCommandBuffer commands, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    TRY(retire());
    std::unique_ptr<Mark> mark = TRY(unused());
    mark->number = number;
    in_flight_.push_back(std::move(mark));  // first, so that where there is no memory nothing is submitted
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    auto submitted = check("vkQueueSubmit", [&] {
        return device().table().vkQueueSubmit(device().queue(), 1, &info, in_flight_.back()->fence.get());
    });
    if (!submitted) {
        unused_.push_back(std::move(in_flight_.back()));
        in_flight_.pop_back();
    }
    return submitted;
}

Result<void> FenceTimeline::await(std::uint64_t number, std::chrono::nanoseconds timeout) {
    Mark* mark = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::lower_bound(in_flight_, number, {}, [](const auto& one) { return one->number; });
        if (found == in_flight_.end() || (*found)->number != number) return {};  // retired
        mark = found->get();
        ++mark->waiters;
    }
    const VkFence fence = mark->fence.get();
    auto end = check_wait("vkWaitForFences", [&] {
        return device().table().vkWaitForFences(device().handle(), 1, &fence, VK_TRUE,
                                                static_cast<std::uint64_t>(timeout.count()));
    });
    const std::lock_guard lock(mutex_);
    --mark->waiters;
    return end;
}

Result<std::uint64_t> FenceTimeline::reached() {
    const std::lock_guard lock(mutex_);
    TRY(retire());
    return ended_;
}

}  // namespace muster::vulkan
