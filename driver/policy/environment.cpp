#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/policy_options.hpp>
#include <muster/driver/policy/setting_text.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

using policy::items;
using policy::trimmed;

Result<Policy> checked(std::string_view variable, const std::string& value, Policy policy) {
    TRY(during(fmt::format("reading {}=\"{}\" from the environment", variable, printable(value)),
               check(policy)));
    return policy;
}

constexpr std::string_view prefix = "MUSTER_";

constexpr std::array variables{
    KnownVariable{"MUSTER_BACKEND",
                  "The backends and devices that may run programs, in this order, as --backend."},
    KnownVariable{"MUSTER_EXCLUDE", "Backends and devices that are never used, as --exclude."},
    KnownVariable{"MUSTER_COMPILE_BUDGET",
                  "How long compiling may take, in seconds; 0: as long as it takes."},
    KnownVariable{"MUSTER_ON_FAILURE",
                  "fail, retry or next: what is done after a fault of a device, as --on-failure."},
    KnownVariable{
        "MUSTER_VALIDATE",
        "1: dispatches are checked by the interpreter, as with --validate; error: one with a fault fails."},
    KnownVariable{"MUSTER_CHECK_DEVICES",
                  "0: devices needn't pass a check before they are chosen, as --no-device-check."},
    KnownVariable{"MUSTER_OPTIMIZE", "first, later or never: when programs are optimised, as --optimize."},
    KnownVariable{"MUSTER_PACK", "The pack of patterns that models are rewritten by, as --pack."},
    KnownVariable{"MUSTER_WEBGPU_PRECISION",
                  "fast: programs that use WebGPU compute with the device's own arithmetic."},
    KnownVariable{"MUSTER_WEBGPU_BACKEND_TYPE",
                  "strict: programs that use WebGPU and ask for Vulkan are given no other device."},
    KnownVariable{"MUSTER_BACKEND_PATH", "Folders of plugins, separated by colons, before the usual ones."},
    KnownVariable{"MUSTER_AUTOLOAD", "0: no plugin is searched for."},
    KnownVariable{"MUSTER_CACHE_DIR",
                  "The folder of what is kept for later processes; empty: nothing is kept."},
    KnownVariable{"MUSTER_CACHE_BYTES", "The most bytes that are kept there; 268435456 by default."},
    KnownVariable{"MUSTER_DEBUG_INFO",
                  "1: kernels on the CPU have names and line numbers in perf, gdb and valgrind."},
    KnownVariable{"MUSTER_PROBE", "isolated: each backend is probed in a process of its own."},
    KnownVariable{"MUSTER_TRACE", "A file for a trace of what the process does, as --trace."},
    KnownVariable{"MUSTER_LOG", "off, error, warning or info: how much is reported on standard error."},
};

/// The variables that set the option of their name (policy_options.hpp), unless they are empty.
constexpr std::array policy_variables{"MUSTER_EXCLUDE",  "MUSTER_COMPILE_BUDGET", "MUSTER_ON_FAILURE",
                                      "MUSTER_VALIDATE", "MUSTER_CHECK_DEVICES",  "MUSTER_OPTIMIZE",
                                      "MUSTER_PACK"};

std::optional<std::string> process_environment(std::string_view name) {
    return platform::environment_variable(name);
}

Result<std::vector<NamedPolicy>> layers_of(const EnvironmentLookup& lookup) {
    std::vector<NamedPolicy> layers;
    const auto add = [&](const char* variable, const std::string& value, Policy policy) -> Result<void> {
        layers.push_back({variable, TRY(checked(variable, value, std::move(policy)))});
        return {};
    };
    if (auto value = lookup("MUSTER_BACKEND")) {
        if (trimmed(*value).empty())
            return fail(ErrorCode::invalid_argument, "MUSTER_BACKEND is set, but names no backend.",
                        "unset it, or list backends: MUSTER_BACKEND=FIRST,SECOND:0");
        TRY(add("MUSTER_BACKEND", *value, {.backends = items(*value)}));
    }
    for (const char* variable : policy_variables) {
        const auto value = lookup(variable);
        if (!value || trimmed(*value).empty()) continue;
        Policy policy;
        TRY(during(fmt::format("reading {}=\"{}\" from the environment", variable, printable(*value)),
                   policy::set_policy_option_unnamed(policy, variable, *value)));
        TRY(add(variable, *value, std::move(policy)));
    }
    return layers;
}

/// Whether this process has begun the trace that its environment asks for.
struct EnvironmentTrace {
    std::mutex mutex;
    bool is_begun = false;

    Result<void> begin() {
        const std::lock_guard lock(mutex);
        if (is_begun) return {};
        const std::optional<std::string> path = environment_trace();
        if (path && !trace::is_recording()) {
            const std::string used =
                TRY(during(fmt::format("reading MUSTER_TRACE=\"{}\" from the environment", printable(*path)),
                           trace::start(*path)));
            if (used != *path)
                log(LogLevel::info, fmt::format("Another process records {}; this one records {}.",
                                                printable(*path), printable(used)));
        }
        is_begun = true;
        return {};
    }
};

}  // namespace

std::span<const KnownVariable> known_variables() { return variables; }

std::vector<std::string> misspelt_variables(std::span<const std::string> names) {
    std::vector<std::string> known;
    for (const KnownVariable& variable : variables) known.emplace_back(variable.name.substr(prefix.size()));
    std::vector<std::string> warnings;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = std::string_view(name).substr(prefix.size());
        if (std::ranges::find(known, rest) != known.end()) continue;
        std::vector<std::string> near = nearest(rest, known);
        for (std::string& each : near) each.insert(0, prefix);
        if (near.empty()) continue;
        warnings.push_back(
            fmt::format("The environment sets {}, which muster doesn't read. Fix: set {}, "
                        "if that is meant, and unset {}",
                        printable(name), fmt::join(near, " or "), printable(name)));
    }
    return warnings;
}

void warn_of_misspelt_variables() {
    for (const std::string& warning : misspelt_variables(platform::environment_names(prefix)))
        log_once(LogLevel::warning, warning, warning);
}

Result<std::vector<NamedPolicy>> environment_layers() {
    warn_of_misspelt_variables();
    static constinit PerProcess<EnvironmentTrace> of_process;
    TRY(of_process.get().begin());
    return layers_of(process_environment);
}

Result<Policy> environment_policy() { return environment_policy(process_environment); }

Result<Policy> environment_policy(const EnvironmentLookup& lookup) {
    return in_force(TRY(layers_of(lookup))).policy;
}

std::vector<std::string> variables_set(const std::vector<std::string>& names) {
    std::vector<std::string> set;
    for (const std::string& name : names)
        if (const auto value = process_environment(name))
            set.push_back(fmt::format("{}=\"{}\"", name, printable(*value)));
    return set;
}

Result<LogLevel> environment_log_level() { return environment_log_level(process_environment); }

Result<LogLevel> environment_log_level(const EnvironmentLookup& lookup) {
    const std::optional<std::string> value = lookup("MUSTER_LOG");
    if (!value || trimmed(*value).empty()) return LogLevel::warning;
    return during(fmt::format("reading MUSTER_LOG=\"{}\" from the environment", printable(*value)),
                  parse_log_level(trimmed(*value)));
}

std::optional<std::string> environment_trace() { return environment_trace(process_environment); }

std::optional<std::string> environment_trace(const EnvironmentLookup& lookup) {
    std::optional<std::string> path = lookup("MUSTER_TRACE");
    return path && !path->empty() ? path : std::nullopt;
}

Result<Precision> environment_webgpu_precision() { return environment_webgpu_precision(process_environment); }

Result<Precision> environment_webgpu_precision(const EnvironmentLookup& lookup) {
    const auto value = lookup("MUSTER_WEBGPU_PRECISION");
    const std::string_view text = value ? trimmed(*value) : std::string_view();
    if (text.empty() || text == name(Precision::exact)) return Precision::exact;
    if (text == name(Precision::fast)) return Precision::fast;
    return fail(ErrorCode::invalid_argument,
                fmt::format("MUSTER_WEBGPU_PRECISION is \"{}\", which isn't a precision.", printable(*value)),
                "set it to exact or fast, or unset it");
}

Result<bool> environment_webgpu_strict_type() { return environment_webgpu_strict_type(process_environment); }

Result<bool> environment_webgpu_strict_type(const EnvironmentLookup& lookup) {
    const auto value = lookup("MUSTER_WEBGPU_BACKEND_TYPE");
    const std::string_view text = value ? trimmed(*value) : std::string_view();
    if (text.empty() || text == "lenient") return false;
    if (text == "strict") return true;
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("MUSTER_WEBGPU_BACKEND_TYPE is \"{}\", neither strict nor lenient.", printable(*value)),
        "set it to strict or lenient, or unset it");
}

Result<PluginEnvironment> environment_plugins() { return environment_plugins(process_environment); }

Result<PluginEnvironment> environment_plugins(const EnvironmentLookup& lookup) {
    PluginEnvironment plugins;
    if (const auto value = lookup("MUSTER_AUTOLOAD")) {
        const std::string_view text = trimmed(*value);
        if (text != "0" && text != "1")
            return fail(ErrorCode::invalid_argument,
                        fmt::format("MUSTER_AUTOLOAD is \"{}\", neither 0 nor 1.", printable(*value)),
                        "unset it, or set MUSTER_AUTOLOAD=0 so that no plugins are looked for");
        plugins.autoload = text == "1";
    }
    const auto path = lookup("MUSTER_BACKEND_PATH");
    if (!path || trimmed(*path).empty()) return plugins;
    plugins.folders = items(*path, ':');
    for (const std::string& folder : plugins.folders)
        if (folder.empty())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("MUSTER_BACKEND_PATH is \"{}\", with an empty item.", printable(*path)),
                        "list folders, with a ':' between two and nowhere else; \".\" is the current one");
    return plugins;
}

std::optional<std::string> cache_folder() { return cache_folder(process_environment); }

std::optional<std::string> cache_folder(const EnvironmentLookup& lookup) {
    const auto given = [&](std::string_view name) {
        const auto value = lookup(name);
        return value && !value->empty() ? value : std::nullopt;
    };
    const auto absolute = [&](std::string_view name) {
        const auto value = given(name);
        return value && value->starts_with('/') ? value : std::nullopt;
    };
    if (lookup("MUSTER_CACHE_DIR")) return given("MUSTER_CACHE_DIR");
    if (const auto cache = absolute("XDG_CACHE_HOME")) return *cache + "/muster";
    if (const auto home = absolute("HOME")) return *home + "/.cache/muster";
    return std::nullopt;
}

Result<std::uint64_t> cache_bytes() { return cache_bytes(process_environment); }

Result<std::uint64_t> cache_bytes(const EnvironmentLookup& lookup) {
    const auto value = lookup("MUSTER_CACHE_BYTES");
    if (!value) return std::uint64_t{256} << 20;
    const std::string_view text = trimmed(*value);
    std::uint64_t bytes = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (failed == std::errc() && end == text.data() + text.size()) return bytes;
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("MUSTER_CACHE_BYTES is \"{}\", no number of bytes below 2^64.", printable(*value)),
        "set it to a number, such as 268435456, or unset it");
}

Result<bool> environment_debug_info() { return environment_debug_info(process_environment); }

Result<bool> environment_debug_info(const EnvironmentLookup& lookup) {
    const auto value = lookup("MUSTER_DEBUG_INFO");
    const std::string_view text = value ? trimmed(*value) : std::string_view();
    if (text.empty() || text == "0") return false;
    if (text == "1") return true;
    return fail(ErrorCode::invalid_argument,
                fmt::format("MUSTER_DEBUG_INFO is \"{}\", neither 0 nor 1.", printable(*value)),
                "set it to 1 to see kernels in perf and gdb, or unset it");
}

Result<Probing> environment_probing() { return environment_probing(process_environment); }

Result<Probing> environment_probing(const EnvironmentLookup& lookup) {
    const auto value = lookup("MUSTER_PROBE");
    if (!value) return Probing::in_process;
    const std::string_view asked = trimmed(*value);
    if (asked == "isolated") return Probing::isolated;
    if (asked == "in-process") return Probing::in_process;
    return fail(ErrorCode::invalid_argument,
                fmt::format("MUSTER_PROBE is \"{}\", neither isolated nor in-process.", printable(*value)),
                "set it to isolated or in-process, or unset it");
}

}  // namespace muster
