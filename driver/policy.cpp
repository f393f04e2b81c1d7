#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/policy.hpp>
#include <muster/driver/records.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

Result<void> check_names(std::string_view what, const std::vector<std::string>& names, bool repeats_matter) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!valid_id(names[i]))
            return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" can't be {}.", names[i], what),
                        "write lower-case letters, digits, '-' and '_', a letter first");
        if (repeats_matter && std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i),
                                        names[i]) != names.begin() + static_cast<std::ptrdiff_t>(i))
            return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is listed twice.", names[i]),
                        "list it once: the order of the list is the order of preference");
    }
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
    if (policy.backends) TRY(check_names("the id of a backend", *policy.backends, true));
    TRY(check_names("the id of a backend", policy.exclude, false));
    if (policy.allow_tags) TRY(check_names("a tag", *policy.allow_tags, false));
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
