// plugins.hpp - backends in libraries that the program doesn't link: found in folders, listed from their files, opened
// when they are needed.
//
//     for (const Plugin& plugin : Plugins::process().list()) ...        // opens none
//     auto loaded = Plugins::process().load("cuda");                    // or a path: "/opt/x/libmuster_backend_x.so"
//     if (!loaded) std::puts(loaded.error().to_string().c_str());
//
// Nobody has to call load(): routing opens a plugin when it gets to one of its backends (router.hpp). Where plugins
// are looked for, and which files are plugins, docs/linking.md says; MUSTER_AUTOLOAD=0 looks for none. A
// plugin that can't be read, opened or used leaves no trace but its reason, and costs nobody else.
//
//   - What the process holds already stays: a plugin with the id of a linked or loaded backend is passed over.
//   - Of plugins in two folders with one id, the one in the earlier folder is taken; in one folder, neither.
//   - Files are told apart by device and inode: one library by two paths is one plugin.
//   - An open plugin stays open until the process ends.
//   - With a static driver no plugin is opened: it would bring a second driver.
//
// Threads: all of these from any, at once. Not to be called by a library's constructors; of a plugin that is being
// opened, they are refused what would open another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/fleet.hpp>
#include <muster/driver/plugin_file.hpp>
#include <muster/driver/plugin_path.hpp>
#include <muster/foundation/result.hpp>

namespace muster {

enum class PluginState : std::uint8_t {
    not_opened,   // its file is in order; it is opened when it is needed
    loaded,       // its backends are in the registry
    passed_over,  // another backend has its id, and is taken
    refused,      // it can't be read or opened, or its records are wrong
    empty,        // a library that registers no backend
};
std::string_view name(PluginState state);

struct Plugin {
    std::string path;
    PluginState state = PluginState::not_opened;
    std::vector<PluginBackend> backends;
    std::string abi;
    std::optional<Error> reason;  // of passed_over and refused
};

class Plugins {
  public:
    /// Looks through these folders, in their order, at first use. Not `automatic`: when load() is given an id.
    explicit Plugins(std::vector<PluginFolder> folders, bool automatic = true);
    ~Plugins();
    Plugins(const Plugins&) = delete;
    Plugins& operator=(const Plugins&) = delete;

    /// This process's, with the search path of environment_plugins(); without any where that is an error.
    static Plugins& process();

    /// All that were found, in the order of the search, then those that were loaded by their path. Reads the files
    /// the first time; opens none.
    std::vector<Plugin> list();
    /// The folders that were looked through, and what is wrong with them.
    std::vector<PluginFolder> folders();

    /// Opens the plugin that has a backend of this id, or the one at this path (anything with a '/'). Nothing to do
    /// where the process has the backend, or the library, already. A refused one is tried again.
    /// Errors: not_found, with the ids that there are; the plugin's reason; unsupported with a static driver.
    Result<void> load(std::string_view id_or_path);
    /// Whether the process has a usable backend of this id, or the library at this path with its backends.
    bool is_loaded(std::string_view id_or_path);

    /// Whether the folders are looked through without being asked: not with MUSTER_AUTOLOAD=0.
    bool is_automatic() const;

    /// One entry for each backend of a plugin that can be opened, and for each refused one's, with its reason. They
    /// must not outlive this. Logs nothing, so that it may be asked under a lock.
    std::vector<FleetEntry> entries();
    /// Logs why each refused one is, once in the process. Whoever takes the log may ask for anything here.
    void log_refused();
    /// Grows when a plugin is found, opened or refused: what entries() says has changed.
    std::uint64_t generation();

  private:
    struct Held;
    struct State;
    void search();
    std::size_t hold(const std::string& path, std::size_t folder);
    bool is_linked(const std::optional<FileIdentity>& identity);
    std::vector<Plugin> judged();
    std::vector<Plugin> look();
    Result<void> open(const std::string& path);
    Result<LoadedBackend> load_backend(const std::string& path, const std::string& id);
    Result<void> load_path(const std::string& path);
    Result<void> load_id(std::string_view id);

    std::unique_ptr<State> state_;
};

}  // namespace muster
