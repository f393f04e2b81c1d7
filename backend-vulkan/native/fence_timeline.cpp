#include <algorithm>
#include <utility>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/fence_timeline.hpp>

namespace muster::vulkan {

namespace {

/// Fences for the queue: one for the work that runs, one for the next, and one that was signalled while the
/// queue's thread still sleeps. Created together, so that a slow thread alone causes no creation later.
constexpr std::size_t first_fences = 4;

}  // namespace

FenceTimeline::FenceTimeline(const LogicalDevice& device) : Timeline(device) {
    for (auto* marks : {&in_flight_, &waited_for_, &unused_}) marks->reserve(2 * first_fences);
}

Result<std::unique_ptr<FenceTimeline::Mark>> FenceTimeline::make() {
    auto mark = std::make_unique<Mark>();
    mark->fence = UniqueFence(device());
    const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(check("vkCreateFence", [&] {
        return device().table().vkCreateFence(device().handle(), &info, nullptr, mark->fence.out());
    }));
    return mark;
}

Result<std::unique_ptr<FenceTimeline::Mark>> FenceTimeline::unused() {
    if (unused_.empty()) {
        const std::size_t more = in_flight_.empty() && waited_for_.empty() ? first_fences : 1;
        for (std::size_t i = 0; i < more; ++i) unused_.push_back(TRY(make()));
    } else {
        const VkFence fence = unused_.back()->fence.get();
        TRY(check("vkResetFences",
                  [&] { return device().table().vkResetFences(device().handle(), 1, &fence); }));
    }
    std::unique_ptr<Mark> mark = std::move(unused_.back());
    unused_.pop_back();
    return mark;
}

/// Retires signalled fences; they are signalled in the queue's order. One with waiters is reset
/// later, and delays no other.
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
        (first.waiters == 0 ? unused_ : waited_for_).push_back(std::move(in_flight_.front()));
        in_flight_.erase(in_flight_.begin());
    }
    return {};
}

void FenceTimeline::let_go(Mark& mark) {
    if (--mark.waiters != 0) return;
    const auto found = std::ranges::find(waited_for_, &mark, &std::unique_ptr<Mark>::get);
    if (found == waited_for_.end()) return;  // not retired yet
    unused_.push_back(std::move(*found));
    waited_for_.erase(found);
}

Result<void> FenceTimeline::enqueue(VkCommandBuffer commands, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    TRY(retire());
    std::unique_ptr<Mark> mark = TRY(unused());
    mark->number = number;
    in_flight_.push_back(std::move(mark));  // first, so that nothing is submitted if this throws
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    auto submitted = device().submit(info, in_flight_.back()->fence.get());
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
    let_go(*mark);
    return end;
}

Result<std::uint64_t> FenceTimeline::reached() {
    const std::lock_guard lock(mutex_);
    TRY(retire());
    return ended_;
}

}  // namespace muster::vulkan
