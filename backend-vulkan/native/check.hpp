// check.hpp - this backend's door to Vulkan: codes are VkResult values.
//
//     TRY(check("vkCreateFence", [&] { return table.vkCreateFence(device, &info, nullptr, &fence); }));
//
// Calls that can't fail don't go through it. Threads: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/backend-vulkan/native/api.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {

/// None for VK_SUCCESS. Lost device, no memory, timeout and a driver's missing features
/// each have their own code.
std::optional<Error> translate(VkResult result);

/// Calls a function that returns a VkResult, as a Result<void>.
template <class Call>
Result<void> check(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), translate);
}

/// check() for a call that waits: timeouts are frequent, so their error allocates no memory.
template <class Call>
Result<void> check_wait(std::string_view name, Call&& call) {
    bool in_time = true;
    TRY(check(name, [&] {
        const VkResult result = call();
        in_time = result != VK_TIMEOUT;
        return in_time ? result : VK_SUCCESS;
    }));
    if (!in_time) return fail(ErrorCode::timed_out, "It still runs.");
    return {};
}

/// The list from a Vulkan call of the two-step kind: `call(&count, list)`, with a null list first. Repeated
/// if the list grew in between.
template <class Item, class Call>
Result<std::vector<Item>> enumerate(std::string_view name, const Item& blank, Call&& call) {
    for (;;) {
        std::uint32_t count = 0;
        TRY(check(name, [&] { return call(&count, static_cast<Item*>(nullptr)); }));
        std::vector<Item> items(count, blank);
        bool incomplete = false;
        TRY(check(name, [&] {
            const VkResult result = call(&count, items.data());
            incomplete = result == VK_INCOMPLETE;
            return incomplete ? VK_SUCCESS : result;
        }));
        if (incomplete) continue;
        items.resize(std::min<std::size_t>(items.size(), count));
        return items;
    }
}

}  // namespace muster::vulkan
