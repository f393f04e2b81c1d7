// plugin_path.hpp - where plugins are looked for, and which files there are plugins. Internal to driver/.
//
// In this order: the folders of MUSTER_BACKEND_PATH; muster/backends beside libmuster, and ../lib/muster/backends
// from the executable's folder; the executable's folder. A plugin is a file called libmuster_backend_NAME.so there:
// folders below aren't looked into. Nothing is opened here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// A folder of the search path.
struct PluginFolder {
    enum class From : std::uint8_t { environment, installation, executable };
    std::string path;
    From from = From::environment;
    /// Why it can't be looked through. That another than the environment's isn't there is no error.
    std::optional<Error> error = {};
};

/// Where the code of this driver is: libmuster, or a program or library that it is linked into statically.
struct DriverHome {
    std::string path;  // empty where the system doesn't say
    bool is_library = false;
};
DriverHome driver_home();

/// The folders, each once, as absolute paths. `library`: path of libmuster, empty where it isn't a library.
std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment, const std::string& library,
                                         const std::string& executable);
/// Of this process.
std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment);

/// libmuster_backend_NAME.so, whatever NAME is.
bool is_plugin_name(std::string_view file_name);

/// The names of the plugins in it, sorted. Says in `folder` what is wrong with it.
std::vector<std::string> plugin_names(PluginFolder& folder);

}  // namespace muster
