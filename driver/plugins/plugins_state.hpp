// plugins_state.hpp - the private state of Plugins. Internal to driver/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/file.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/support/fork_ranks.hpp>

namespace muster {

/// A file that was found. `folder`: the index of its folder on the search path; past its
/// end, it was loaded by path.
struct Plugins::FoundFile {
    std::string found;  // the path that led to it; absolute
    std::string path;   // the same without symbolic links, as the loader is given it
    std::size_t folder = 0;
    std::optional<platform::FileStatus> status;  // when it was read
    PluginFile file;
    bool loaded = false;  // the loader has opened it, for good; if it isn't in the registry, it is retired
    int opening = 0;      // threads that are opening it: the registry may have it before they are done
    std::optional<Error> failed;  // why it couldn't be opened
    bool named = false;           // the user named it, or its folder
    std::optional<Error> unsafe;  // who else may change it, and so run code here

    /// True if it isn't opened because others may change it.
    bool is_barred() const { return unsafe && !(named && !platform::has_foreign_rights()); }
};

/// Guards the members of every Plugins::State. Not held while a library is opened.
inline constinit ForkSafeMutex plugins_mutex{fork_rank_of_plugins};

struct Plugins::State {
    std::uint64_t generation = 1;
    std::vector<PluginFolder> folders;
    bool automatic = true;
    bool searched = false;
    std::vector<FoundFile> files;        // only appended to, so that an index always means the same file
    const Registry* registry = nullptr;  // the registry that `linked` was made from
    std::vector<platform::FileIdentity> linked;  // the process's modules that hold records
};

/// The present states of the plugins in State::files. Libraries that the process has otherwise are left out.
/// `indices`: the index of each plugin in State::files.
struct Plugins::States {
    std::vector<Plugin> plugins;
    std::vector<std::size_t> indices;
};

}  // namespace muster
