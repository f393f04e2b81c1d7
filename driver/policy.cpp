#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/device_selector.hpp>
#include <muster/driver/policy.hpp>
#include <muster/driver/records.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

Result<void> check_order(const std::vector<std::string>& list) {
    std::vector<DeviceSelector> seen;
    for (const std::string& entry : list) {
        const DeviceSelector selector = TRY(DeviceSelector::parse(entry));
        if (std::ranges::find(seen, selector) != seen.end())
            return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is listed twice.", entry),
                        "list it once: the order of the list is the order of preference");
        seen.push_back(selector);
    }
    return {};
}

Result<void> check_tags(const std::vector<std::string>& tags) {
    for (const std::string& tag : tags)
        if (!valid_id(tag))
            return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" can't be a tag.", tag),
                        "write lower-case letters, digits, '-' and '_', a letter first");
    return {};
}

struct ProcessDefault {
    std::mutex mutex;
    Policy policy;
};
ProcessDefault& process_default() {
    static auto* const shared = new ProcessDefault;  // outlives every static that might still route
    return *shared;
}

}  // namespace

Policy layer(Policy over, const Policy& under) {
    if (!over.backends) over.backends = under.backends;
    if (!over.allow_tags) over.allow_tags = under.allow_tags;
    if (!over.inexact_ok) over.inexact_ok = under.inexact_ok;
    if (!over.allow_emission) over.allow_emission = under.allow_emission;
    for (const std::string& id : under.exclude)
        if (std::ranges::find(over.exclude, id) == over.exclude.end()) over.exclude.push_back(id);
    return over;
}

Result<void> check(const Policy& policy) {
    if (policy.backends) TRY(check_order(*policy.backends));
    for (const std::string& entry : policy.exclude) TRY(DeviceSelector::parse(entry));
    if (policy.allow_tags) TRY(check_tags(*policy.allow_tags));
    return {};
}

Result<void> set_default_policy(Policy policy) {
    TRY(check(policy));
    ProcessDefault& shared = process_default();
    const std::lock_guard lock(shared.mutex);
    shared.policy = std::move(policy);
    return {};
}

Policy default_policy() {
    ProcessDefault& shared = process_default();
    const std::lock_guard lock(shared.mutex);
    return shared.policy;
}

}  // namespace muster
