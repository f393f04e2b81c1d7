// plugins_state.hpp - what Plugins holds. Internal to driver/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster {

/// A file that was found. `folder`: its place on the search path; beyond that, loaded by its path.
struct Plugins::Held {
    std::string found;  // the path that led to it; absolute
    std::string path;   // what it leads to, without symbolic links: what the loader is given
    std::size_t folder = 0;
    std::optional<FileStatus> status;  // when it was read
    PluginFile file;
    bool loaded = false;  // the loader has it, for good: what is loaded, but not in the registry, is retired
    int opening = 0;      // threads that are at it: the registry may have it before they are done
    std::optional<Error> failed;  // to open
};

struct Plugins::State {
    std::mutex mutex;  // guards what follows; not held while a library is opened
    std::uint64_t generation = 1;
    std::vector<PluginFolder> folders;
    bool automatic = true;
    bool searched = false;
    std::vector<Held> held;              // grows at its end only: a place in it stays one file's
    const Registry* registry = nullptr;  // that `linked` is of
    std::vector<FileIdentity> linked;    // the modules of the process that hold records
};

/// The held files as the process is now, but for those that aren't plugins of ours. `places`: of each among the held.
struct Plugins::Judged {
    std::vector<Plugin> plugins;
    std::vector<std::size_t> places;
};

}  // namespace muster
