#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/file.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/plugins/plugin_path.hpp>
#include <muster/foundation/base/printable.hpp>

#ifndef MUSTER_LIBRARY_FOLDER
#define MUSTER_LIBRARY_FOLDER "lib"
#endif

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "libmuster_backend_", suffix = ".so";

/// The absolute path, without symbolic links as far as the folder exists.
fs::path real(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    const fs::path normal = (canonical.empty() ? absolute : canonical).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();  // no slash at its end
}

}  // namespace

DriverHome driver_home() {
    const std::string path = platform::driver_module();
    return {path, platform::is_driver_library(path)};
}

std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment, const std::string& library,
                                         const std::string& executable) {
    std::vector<PluginFolder> folders;
    const auto add = [&](const fs::path& path, PluginFolder::From from) {
        const std::string folder = real(path).string();
        if (std::ranges::find(folders, folder, &PluginFolder::path) == folders.end())
            folders.push_back({folder, from});
    };
    for (const std::string& folder : environment.folders) add(folder, PluginFolder::From::environment);
    if (!library.empty())
        add(real(library).parent_path() / "muster" / "backends", PluginFolder::From::installation);
    if (!executable.empty()) {
        const fs::path beside = real(executable).parent_path();
        if (beside.filename() ==
            "bin")  // otherwise ".." may be a folder where anyone makes files, such as /tmp
            for (const char* name : {MUSTER_LIBRARY_FOLDER, "lib"})
                add(beside / ".." / name / "muster" / "backends", PluginFolder::From::installation);
        add(beside, PluginFolder::From::executable);
    }
    return folders;
}

std::vector<PluginFolder> plugin_folders(const PluginEnvironment& environment) {
    const DriverHome home = driver_home();
    return plugin_folders(environment, home.is_library ? home.path : "", platform::program_path());
}

bool is_plugin_name(std::string_view file_name) {
    return file_name.size() > prefix.size() + suffix.size() && file_name.starts_with(prefix) &&
           file_name.ends_with(suffix);
}

std::vector<std::string> plugin_names(PluginFolder& folder) {
    std::vector<std::string> names;
    const int error = platform::for_each_name(folder.path, [&](std::string_view name) {
        if (is_plugin_name(name)) names.emplace_back(name);
    });
    std::ranges::sort(names);
    if (error == 0 || (error == ENOENT && folder.from != PluginFolder::From::environment)) return names;
    const auto wrong = [&](ErrorCode code, std::string_view what, std::string fix) {
        folder.error = Error{code,
                             fmt::format("The folder of plugins {} {}.", printable(folder.path), what),
                             std::move(fix),
                             {}};
    };
    if (error == ENOENT)
        wrong(ErrorCode::not_found, "isn't there", "correct MUSTER_BACKEND_PATH, or make the folder");
    else if (error == ENOTDIR)
        wrong(ErrorCode::invalid_argument, "isn't a folder",
              "name the folder that holds the plugin: a single file is loaded by its path");
    else
        wrong(ErrorCode::io_failed,
              fmt::format("can't be looked through: {}", std::generic_category().message(error)),
              "check its permissions");
    return names;
}

}  // namespace muster
