// plugin_path.hpp - the folders in which plugins are searched for, and the names of plugins'
// files. Installed because plugins.hpp, the public interface, includes it.
//
// The order: the folders of MUSTER_BACKEND_PATH; muster/backends beside libmuster; ../lib/muster/backends
// (and the installation's own name for lib) relative to the executable's folder, if that is called bin; the
// executable's folder. A plugin is a file called libmuster_backend_NAME.so in one of them; subfolders aren't
// searched. Nothing is opened here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A folder of the search path.
struct PluginFolder {
    enum class From : std::uint8_t { environment, installation, executable };
    std::string path;
    From from = From::environment;
    /// Why the folder can't be read. A missing folder is an error only if it comes from the environment.
    std::optional<Error> error = {};
};

/// The file that contains the driver's code: libmuster, or a program or library that it
/// is linked into statically.
struct DriverHome {
    std::string path;  // empty if the system doesn't report it
    bool is_library = false;
};
DriverHome driver_home();

/// The folders, each once, as absolute paths. `library`: the path of libmuster, empty with a static driver.
std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment, const std::string& library,
                                         const std::string& executable);
/// The folders for this process.
std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment);

/// True for libmuster_backend_NAME.so with any non-empty NAME.
bool is_plugin_name(std::string_view file_name);

/// The file names of the plugins in a folder, sorted. Sets `folder.error` if it can't be read.
std::vector<std::string> plugin_names(PluginFolder& folder);

MUSTER_API_END
}  // namespace muster
