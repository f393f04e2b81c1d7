// environment.hpp - the one place where muster reads environment variables.
//
//     MUSTER_BACKEND=cuda:1,cpu   ordered allow-list of backends and devices    MUSTER_EXCLUDE=vulkan   always subtracts
//     MUSTER_COMPILE_BUDGET=60    seconds that compiling one program may take   MUSTER_COMPILE_BUDGET=0   any time
//     MUSTER_BACKEND_PATH=/a:/b   folders of plugins, before the usual ones     MUSTER_AUTOLOAD=0       looks for none
//     MUSTER_CACHE_DIR=FOLDER     what is kept for later processes              MUSTER_CACHE_DIR=       nothing is kept
//     MUSTER_PROBE=isolated       each backend is probed in a process of its own       in-process: the default
//
//     MUSTER_LOG=info   off, error, warning or info: how much is said on standard error (log.hpp)
//
// A value that can't be understood is an error, never "everything". Spaces around entries are ignored.
// Threads: reads getenv; don't call setenv meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/policy/policy_layers.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// What the environment says, as a policy layer. Errors: invalid_argument, naming the variable and its value:
/// MUSTER_BACKEND set but empty, an empty item, a budget that is no number, what check(Policy) refuses.
Result<Policy> environment_policy();
/// The same from another source, for tests.
Result<Policy> environment_policy(const EnvironmentLookup& lookup);
/// The same, a layer for each variable that is set, under its name.
Result<std::vector<NamedPolicy>> environment_layers();

/// Of these variables, which are others', those that are set: "CUDA_VISIBLE_DEVICES=\"\"".
std::vector<std::string> variables_set(const std::vector<std::string>& names);

/// MUSTER_LOG; unset or empty: warning. Errors: invalid_argument.
Result<LogLevel> environment_log_level();
Result<LogLevel> environment_log_level(const EnvironmentLookup& lookup);

/// What the environment says about plugins.
struct PluginEnvironment {
    bool autoload = true;
    std::vector<std::string> folders;
};

/// Where the process has more rights than its user, both variables count as unset. Errors: invalid_argument, for a
/// MUSTER_AUTOLOAD that is neither 0 nor 1, an empty item of MUSTER_BACKEND_PATH.
Result<PluginEnvironment> environment_plugins();
Result<PluginEnvironment> environment_plugins(const EnvironmentLookup& lookup);

/// Where what later processes can use is kept: MUSTER_CACHE_DIR, else "muster" in XDG_CACHE_HOME or in HOME's .cache. None:
/// it is set to nothing, or there is no home.
std::optional<std::string> cache_folder();
std::optional<std::string> cache_folder(const EnvironmentLookup& lookup);

/// Where backends are probed (isolation.hpp).
enum class Probing : std::uint8_t { in_process, isolated };
/// MUSTER_PROBE. Errors: invalid_argument.
Result<Probing> environment_probing();
Result<Probing> environment_probing(const EnvironmentLookup& lookup);

/// Every variable as NAME=VALUE, sorted, but for what a shell sets differently in each window or folder: what libraries that
/// read the environment themselves may have been told.
std::vector<std::string> whole_environment();

}  // namespace muster
