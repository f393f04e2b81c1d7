#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/policy/policy_options.hpp>
#include <muster/driver/policy/setting_text.hpp>
#include <muster/driver/support/quantity.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::policy {
namespace {

Result<bool> flag(std::string_view value) {
    if (value.empty() || value == "1" || value == "true") return true;
    if (value == "0" || value == "false") return false;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is neither 1 nor 0.", printable(value)),
                "give 1 to set it, or 0");
}

Result<std::uint32_t> number(std::string_view value) {
    std::uint32_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error == std::errc() && end == value.data() + value.size()) return result;
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" isn't a number below 2^32.", printable(value)), "give a number");
}

template <class T>
Result<void> put(std::optional<T>& to, const Result<T>& value) {
    if (!value) return std::unexpected(value.error());
    to = *value;
    return {};
}
/// The opposite of a flag.
Result<void> put_opposite(std::optional<bool>& to, std::string_view value) {
    const Result<bool> is_set = flag(value);
    if (!is_set) return std::unexpected(is_set.error());
    to = !*is_set;
    return {};
}

/// Sets a choice, or takes it back.
Result<void> choose(Policy& policy, std::string_view value, Choice choice) {
    const Result<bool> is_set = flag(value);
    if (!is_set) return std::unexpected(is_set.error());
    if (*is_set)
        policy.choice = std::move(choice);
    else
        policy.choice.reset();
    return {};
}

struct Row {
    PolicyOption option;
    Result<void> (*set)(Policy&, std::string_view value);
};

// clang-format off
constexpr std::array rows{
    Row{{"backend", "Only these backends and devices (ID, ID:ORDINAL, ID:UUID), in this order."},
        [](Policy& to, std::string_view value) -> Result<void> { to.backends = items(value); return {}; }},
    Row{{"pin", "This backend or device, or an error: never another."},
        [](Policy& to, std::string_view value) -> Result<void> { to.choice = Pinned{std::string(value)}; return {}; }},
    Row{{"only-one", "The one backend that fits; where several do, an error."},
        [](Policy& to, std::string_view value) { return choose(to, value, OnlyOne{}); }},
    Row{{"measured", "The device that is estimated to finish first, by what muster bench has measured."},
        [](Policy& to, std::string_view value) { return choose(to, value, Measured{}); }},
    Row{{"exclude", "Never these backends and devices."},
        [](Policy& to, std::string_view value) -> Result<void> { to.exclude = items(value); return {}; }},
    Row{{"allow", "Also backends with these tags, \"debug\" for instance."},
        [](Policy& to, std::string_view value) -> Result<void> { to.allow_tags = items(value); return {}; }},
    Row{{"tag", "Only backends with all of these tags."},
        [](Policy& to, std::string_view value) -> Result<void> { to.require_tags = items(value); return {}; }},
    Row{{"exclude-tag", "Never a backend with one of these tags, named or not."},
        [](Policy& to, std::string_view value) -> Result<void> { to.exclude_tags = items(value); return {}; }},
    Row{{"kind", "Only devices of this kind: any, gpu, discrete, integrated, cpu."},
        [](Policy& to, std::string_view value) { return put(to.kind, parse_device_class(value)); }},
    Row{{"min-memory", "Only devices with so much memory: 8GiB, 512MiB or bytes."},
        [](Policy& to, std::string_view value) { return put(to.min_memory_bytes, parse_bytes(value)); }},
    Row{{"require", "Only devices that have these: types (f32), operations (fma), subgroup:32, exact."},
        [](Policy& to, std::string_view value) -> Result<void> { to.require_features = items(value); return {}; }},
    Row{{"subgroup-size", "The size of subgroups, for programs that use them and ask for none."},
        [](Policy& to, std::string_view value) { return put(to.subgroup_size, number(value)); }},
    Row{{"compile-budget", "How long compiling may take, in seconds; 0: as long as it takes."},
        [](Policy& to, std::string_view value) { return put(to.compile_budget, parse_compile_budget(value)); }},
    Row{{"on-failure", "After a fault of a device or its compiler: fail, retry or next."},
        [](Policy& to, std::string_view value) { return put(to.on_failure, parse_on_failure(value)); }},
    Row{{"validate", "1: dispatches are checked by the interpreter; error: one with a fault fails; 0: neither."},
        [](Policy& to, std::string_view value) { return put(to.validate, parse_validation(value.empty() ? "1" : value)); }},
    Row{{"check-devices", "0: devices needn't pass a check before they are chosen."},
        [](Policy& to, std::string_view value) { return put(to.check_devices, flag(value)); }},
    Row{{"no-device-check", "1: the same as check-devices with 0."},
        [](Policy& to, std::string_view value) { return put_opposite(to.check_devices, value); }},
    Row{{"optimize", "When a program that runs for the first time is optimised: first, later (quick code runs meanwhile) or never."},
        [](Policy& to, std::string_view value) { return put(to.optimize, parse_optimize(value)); }},
    Row{{"inexact-ok", "Also devices that don't promise exact arithmetic."},
        [](Policy& to, std::string_view value) { return put(to.inexact_ok, flag(value)); }},
    Row{{"no-emission", "Where nothing can execute: refused, and no code to ship in its place."},
        [](Policy& to, std::string_view value) { return put_opposite(to.allow_emission, value); }},
    Row{{"pack", "The pack of patterns that models are rewritten by."},
        [](Policy& to, std::string_view value) -> Result<void> { to.pack = std::string(value); return {}; }},
};
// clang-format on

constexpr auto options = [] {
    std::array<PolicyOption, rows.size()> all{};
    for (std::size_t i = 0; i < rows.size(); ++i) all[i] = rows[i].option;
    return all;
}();

/// The tool's spelling: "MUSTER_ON_FAILURE" and "--on_failure" are "on-failure".
std::string spelling(std::string_view name) {
    for (const std::string_view prefix : {"MUSTER_", "--"})
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    std::string result(name);
    for (char& c : result) {
        if (c == '_') c = '-';
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

}  // namespace

std::span<const PolicyOption> policy_options() { return options; }

Result<void> set_policy_option(Policy& policy, std::string_view name, std::string_view value) {
    return during([&] { return fmt::format("reading the option {}", printable(spelling(name))); },
                  set_policy_option_unnamed(policy, name, value));
}

Result<void> set_policy_option_unnamed(Policy& policy, std::string_view name, std::string_view value) {
    const std::string wanted = spelling(name);
    const auto found = std::ranges::find(rows, wanted, [](const Row& row) { return row.option.name; });
    if (found != rows.end()) return found->set(policy, trimmed(value));
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.option.name);
    return fail(ErrorCode::not_found, fmt::format("No option of a policy is called \"{}\".", printable(name)),
                did_you_mean(wanted, names));
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    constexpr std::array<QuantityUnit, 9> units{{{"", 1},
                                                 {"KiB", 0x1p10},
                                                 {"MiB", 0x1p20},
                                                 {"GiB", 0x1p30},
                                                 {"TiB", 0x1p40},
                                                 {"KB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9},
                                                 {"TB", 1e12}}};
    if (const auto bytes = quantity(text, units)) return *bytes;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a number of bytes.", printable(text)),
                "write a number and a unit: 8GiB, 512MiB, 4096");
}

}  // namespace muster::policy
