// environment.hpp - reads the environment variables that configure the driver.
//
//     MUSTER_BACKEND=cuda:1,cpu   ordered allow-list of backends and devices
//     MUSTER_EXCLUDE=vulkan       backends and devices that are never used
//     MUSTER_COMPILE_BUDGET=60    seconds that compiling one program may take; 0: no limit
//     MUSTER_ON_FAILURE=next      fail, retry or next: what a fault at run time leads to (Policy::on_failure)
//     MUSTER_VALIDATE=1           dispatches are validated, with warnings; error: with errors; 0: not
//     MUSTER_CHECK_DEVICES=0      devices aren't checked before routing trusts them (Policy::check_devices); 1: they are
//     MUSTER_OPTIMIZE=first       first, later or never: when programs are optimised (Policy::optimize)
//     MUSTER_PACK=portable        the pack of patterns for models (Policy::pack)
//     MUSTER_BACKEND_PATH=/a:/b   plugin folders, searched before the usual ones
//     MUSTER_AUTOLOAD=0           plugins aren't searched for
//     MUSTER_CACHE_DIR=FOLDER     folder of data kept for later processes; empty: none is kept
//     MUSTER_CACHE_BYTES=N        the most bytes kept there; 268435456 (256 MiB) by default
//     MUSTER_DEBUG_INFO=1         code that runs on the host is compiled with line numbers and visible to perf and gdb; 0: the default
//     MUSTER_PROBE=isolated       probes each backend in a process of its own; in-process: the default
//     MUSTER_WEBGPU_PRECISION=fast  programs of WebGPU compute with the device's own arithmetic; exact: the default
//     MUSTER_WEBGPU_BACKEND_TYPE=strict  programs of WebGPU that ask for Vulkan are given no other adapter; lenient: the default
//     MUSTER_TRACE=FILE           what each process does is recorded there (driver/trace)
//     MUSTER_LOG=info             off, error, warning or info: how much is logged (log.hpp)
//
// All of the driver reads its variables through these functions, and they through environment_variable(), as
// do backends that read those of their native API: a process that has more rights than its user obeys none.
// Processes that the driver starts inherit the environment.
//
// A malformed value is an error; it never means "no restriction". Spaces around entries are ignored.
// Threads: any, but don't call setenv at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/policy/policy_layers.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// A variable that muster reads, and its meaning in a sentence, as the manual has it; docs/tool.md says more.
struct KnownVariable {
    std::string_view name, meaning;
};
std::span<const KnownVariable> known_variables();

/// Warns, once each, of the variables whose names look like misspelt ones of muster's. A name that resembles
/// none is left alone: it may be another program's.
void warn_of_misspelt_variables();
/// The warnings for these names; none for those that are known, or resemble no known one.
std::vector<std::string> misspelt_variables(std::span<const std::string> names);

/// The environment's policy, all variables merged. Errors: invalid_argument, naming the variable and its
/// value: MUSTER_BACKEND set but empty, an empty item, a budget that isn't a number, no OnFailure, a
/// validation that there isn't, anything that check(Policy) refuses.
Result<Policy> environment_policy();
/// The policy that another source of variables gives, for tests.
Result<Policy> environment_policy(const EnvironmentLookup& lookup);
/// The environment's policy as one layer for each variable that is set, named after it. Also
/// warns of misspelt variables, and begins the trace that MUSTER_TRACE asks for.
Result<std::vector<NamedPolicy>> environment_layers();

/// The variables among `names` that are set, as text with their values: "CUDA_VISIBLE_DEVICES=\"\"".
std::vector<std::string> variables_set(const std::vector<std::string>& names);

/// The value of MUSTER_LOG; unset or empty: warning. Errors: invalid_argument.
Result<LogLevel> environment_log_level();
Result<LogLevel> environment_log_level(const EnvironmentLookup& lookup);

/// The file that MUSTER_TRACE names; none if it is unset or empty.
std::optional<std::string> environment_trace();
std::optional<std::string> environment_trace(const EnvironmentLookup& lookup);

/// The precision of programs that use WebGPU, MUSTER_WEBGPU_PRECISION: exact (also if unset or empty) or
/// fast. Errors: invalid_argument.
Result<Precision> environment_webgpu_precision();
Result<Precision> environment_webgpu_precision(const EnvironmentLookup& lookup);

/// True if programs that use WebGPU and ask for Vulkan are given no other adapter,
/// MUSTER_WEBGPU_BACKEND_TYPE: strict, or lenient (also if unset or empty). Errors: invalid_argument.
Result<bool> environment_webgpu_strict_type();
Result<bool> environment_webgpu_strict_type(const EnvironmentLookup& lookup);

/// The environment's settings for plugins.
struct PluginEnvironment {
    bool autoload = true;
    std::vector<std::string> folders;
};

/// Reads MUSTER_AUTOLOAD and MUSTER_BACKEND_PATH. Errors: invalid_argument, if MUSTER_AUTOLOAD is neither 0
/// nor 1, or if MUSTER_BACKEND_PATH has an empty item.
Result<PluginEnvironment> environment_plugins();
Result<PluginEnvironment> environment_plugins(const EnvironmentLookup& lookup);

/// The folder of data kept for later processes: MUSTER_CACHE_DIR, else "muster" in XDG_CACHE_HOME or in
/// HOME's .cache. None if MUSTER_CACHE_DIR is set but empty, or if there is no home. A relative path in
/// XDG_CACHE_HOME or HOME counts as unset: each folder that a program is started in would get a cache.
std::optional<std::string> cache_folder();
std::optional<std::string> cache_folder(const EnvironmentLookup& lookup);

/// The most bytes kept there: MUSTER_CACHE_BYTES, else 256 MiB. Errors: invalid_argument.
Result<std::uint64_t> cache_bytes();
Result<std::uint64_t> cache_bytes(const EnvironmentLookup& lookup);

/// True if debuggers and profilers shall see the host's code, MUSTER_DEBUG_INFO: 1, or 0 (also if unset or
/// empty); docs/profiling.md. Errors: invalid_argument.
Result<bool> environment_debug_info();
Result<bool> environment_debug_info(const EnvironmentLookup& lookup);

/// The process in which backends are probed: this one, or one of their own each (docs/probing.md).
enum class Probing : std::uint8_t { in_process, isolated };
/// The value of MUSTER_PROBE. Errors: invalid_argument.
Result<Probing> environment_probing();
Result<Probing> environment_probing(const EnvironmentLookup& lookup);

MUSTER_API_END
}  // namespace muster
