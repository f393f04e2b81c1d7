#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/policy/device_selector.hpp>
#include <muster/driver/policy/feature.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/policy/policy_fields.hpp>
#include <muster/driver/support/fork_ranks.hpp>
#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster {
namespace {

Result<void> check_order(const std::vector<std::string>& list) {
    std::vector<policy::DeviceSelector> seen;
    for (const std::string& entry : list) {
        const policy::DeviceSelector selector = TRY(policy::DeviceSelector::parse(entry));
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
            return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" can't be a tag.", printable(tag)),
                        "write lower-case letters, digits, '-' and '_', a letter first");
    return {};
}

/// A field of a layer over the same one of the layer below: the upper one, if it is set.
template <class T>
void merge(std::optional<T>& over, const std::optional<T>& under) {
    if (!over) over = under;
}
/// Exclusions of both layers.
void merge(std::vector<std::string>& over, const std::vector<std::string>& under) {
    for (const std::string& item : under)
        if (std::ranges::find(over, item) == over.end()) over.push_back(item);
}

struct ProcessDefault {
    ForkSafeMutex mutex{fork_rank_of_policy};
    Policy policy;
};
ProcessDefault& process_default() {
    static auto* const shared = new ProcessDefault;  // outlives every static that might still route
    return *shared;
}

}  // namespace

std::string_view name(DeviceClass kind) { return enum_name(kind); }

Result<DeviceClass> parse_device_class(std::string_view text) {
    if (const auto kind = enum_named<DeviceClass>(text)) return *kind;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a kind of device.", printable(text)),
                fmt::format("ask for one of: {}", fmt::join(enum_names<DeviceClass>(), ", ")));
}

std::string_view name(OnFailure what) { return enum_name(what); }

std::string_view name(Optimize when) { return enum_name(when); }
std::string_view name(Validation validation) { return enum_name(validation); }

Result<OnFailure> parse_on_failure(std::string_view text) {
    if (const auto what = enum_named<OnFailure>(text)) return *what;
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" isn't what can be done after a failure.", printable(text)),
                "say fail, retry (once more, on the same device opened anew) or next (on the next device)");
}

Result<Optimize> parse_optimize(std::string_view text) {
    if (const auto when = enum_named<Optimize>(text)) return *when;
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" isn't a time at which programs are optimised.", printable(text)),
                "say first (before they run), later (quick code runs meanwhile) or never (quick code stays)");
}

Result<Validation> parse_validation(std::string_view text) {
    if (text == "0") return Validation::off;
    if (text == "1") return Validation::warn;
    if (text == "error") return Validation::error;
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" isn't a kind of validation.", printable(text)),
                "set it to 1 for warnings, to error for errors, or to 0 for none");
}

Result<std::chrono::nanoseconds> parse_compile_budget(std::string_view text) {
    constexpr double most_seconds = 1e9;  // 64-bit nanoseconds reach about 9.2e9 s
    double seconds = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
    if (error != std::errc() || stop != end || !(seconds >= 0 && seconds <= most_seconds))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" isn't a compile budget: not a number of seconds from 0 to {:.0f}.",
                                text, most_seconds),
                    "give seconds, such as 30 or 0.5; 0 lets compilers take as long as they take");
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::string compile_budget_text(std::chrono::nanoseconds budget) {
    if (budget == std::chrono::nanoseconds(0)) return "none";
    return fmt::format("{:.9g} s", static_cast<double>(budget.count()) * 1e-9);
}

bool is_measured(const Policy& policy) {
    return policy.choice && std::holds_alternative<Measured>(*policy.choice);
}

const std::string* pinned(const Policy& policy) {
    const Pinned* pin = policy.choice ? std::get_if<Pinned>(&*policy.choice) : nullptr;
    return pin ? &pin->to : nullptr;
}

Policy layer(Policy over, const Policy& under) {
    Policy below = under;
    if (pinned(over)) below.backends.reset();
    if (over.backends && pinned(under)) below.choice.reset();
    policy::for_each_field(
        [&](std::string_view, auto field) { merge(field(over), field(std::as_const(below))); });
    return over;
}

Result<void> check(const Policy& policy) {
    if (policy.backends) TRY(check_order(*policy.backends));
    if (const std::string* pin = pinned(policy)) {
        TRY(policy::DeviceSelector::parse(*pin));
        if (policy.backends)
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("The policy pins {}, and lists {}.", *pin,
                            policy.backends->empty() ? "no backend"
                                                     : fmt::format("{}", fmt::join(*policy.backends, ", "))),
                "pin without a list: a pin is the only one that is considered");
    }
    for (const std::string& entry : policy.exclude) TRY(policy::DeviceSelector::parse(entry));
    TRY(check_tags(policy.exclude_tags));
    if (policy.require_tags) TRY(check_tags(*policy.require_tags));
    if (policy.allow_tags) TRY(check_tags(*policy.allow_tags));
    if (policy.require_features)
        for (const std::string& feature : *policy.require_features) TRY(Feature::parse(feature));
    if (policy.subgroup_size && !limits::is_subgroup_size(*policy.subgroup_size))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The policy asks for subgroups of {} invocations.", *policy.subgroup_size),
                    fmt::format("ask for a power of two from {} to {}", limits::least_subgroup,
                                limits::most_subgroup));
    if (policy.compile_budget && *policy.compile_budget < std::chrono::nanoseconds(0))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The compile budget is {}, less than nothing.",
                                compile_budget_text(*policy.compile_budget)),
                    "give a time, or 0 to let compilers take as long as they take");
    if (policy.pack && !valid_id(*policy.pack))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" can't be the id of a pack of patterns.", printable(*policy.pack)),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    return {};
}

Result<void> set_default_policy(Policy policy) {
    TRY(check(policy));
    ProcessDefault& shared = process_default();
    const std::lock_guard lock(shared.mutex);
    shared.policy = std::move(policy);
    return {};
}

void reset_default_policy() {
    ProcessDefault& shared = process_default();
    const std::lock_guard lock(shared.mutex);
    shared.policy = {};
}

Policy default_policy() {
    ProcessDefault& shared = process_default();
    const std::lock_guard lock(shared.mutex);
    return shared.policy;
}

}  // namespace muster
