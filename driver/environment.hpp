// environment.hpp - the one place where muster reads environment variables.
//
//     MUSTER_BACKEND=cuda:1,cpu   ordered allow-list of backends and devices    MUSTER_EXCLUDE=vulkan   always subtracts
//     MUSTER_CACHE_DIR=FOLDER     what is kept for later processes              MUSTER_CACHE_DIR=       nothing is kept
//
// A value that can't be understood is an error, never "everything". Spaces around entries are ignored.
// Threads: reads getenv; don't call setenv meanwhile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/policy.hpp>
#include <muster/foundation/result.hpp>

namespace muster {

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// What the environment says, as a policy layer. Errors: invalid_argument, naming the variable and its value:
/// MUSTER_BACKEND set but empty, an empty item, what check(Policy) refuses.
Result<Policy> environment_policy();
/// The same from another source, for tests.
Result<Policy> environment_policy(const EnvironmentLookup& lookup);

/// Where what later processes can use is kept: MUSTER_CACHE_DIR, else "muster" in XDG_CACHE_HOME or in HOME's .cache. None:
/// it is set to nothing, or there is no home.
std::optional<std::string> cache_folder();
std::optional<std::string> cache_folder(const EnvironmentLookup& lookup);

}  // namespace muster
