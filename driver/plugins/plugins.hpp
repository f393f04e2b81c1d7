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
//   - An open plugin stays open until the process ends: retire() takes it out of what is opened later, and unmaps nothing.
//   - What isn't open is looked at again by list() and load(): a file may be mended, replaced or removed.
//   - With a static driver no plugin is opened: it would bring a second driver.
//
// Threads: all of these from any, at once. Not to be called by a library's constructors; of a plugin that is being
// opened, they are refused what would open another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/plugins/plugin_file.hpp>
#include <muster/driver/plugins/plugin_path.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

enum class PluginState : std::uint8_t {
    not_opened,   // its file is in order; it is opened when it is needed
    loaded,       // its backends are in the registry
    retired,      // retire() took it out of the registry; it is still open
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
    std::optional<Error> reason;  // of passed_over, refused and retired
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
    /// where the process has the backend, or the library, already. A refused one is tried again, a retired one taken back;
    /// of several that offer the id, the first that opens.
    /// Errors: not_found, with the ids that there are; the plugin's reason; unsupported with a static driver.
    Result<void> load(std::string_view id_or_path);
    /// As load() with an id, for who asks for a backend and not for its plugin: a retired one stays so.
    Result<void> provide(std::string_view id);
    /// Takes the loaded plugin that has this backend, or is at this path, out of the registry, with all its backends:
    /// those who look from now on don't find it, and routing doesn't take it back. Sessions that are open, backends and
    /// spans of older registries keep it, because it isn't unmapped. load() takes it back.
    /// Errors: not_found, where no loaded plugin is that.
    Result<void> retire(std::string_view id_or_path);
    /// Whether the process has a usable backend of this id, or the library at this path with its backends.
    bool is_loaded(std::string_view id_or_path);

    /// Whether the folders are looked through without being asked: not with MUSTER_AUTOLOAD=0.
    bool is_automatic() const;

    /// One entry for each id that plugins which can be opened have, and for each that only others have (refused, passed
    /// over because of another backend, retired), with the reason. They must not outlive this. Logs nothing, so that it may be asked under a lock.
    std::vector<FleetEntry> entries();
    /// Logs why each refused one is, once in the process. Whoever takes the log may ask for anything here.
    void log_refused();
    /// Grows when a plugin is found, opened, refused, renewed or retired: what entries() says has changed.
    std::uint64_t generation();

  private:
    struct Held;
    struct State;
    struct Judged;
    using Wanted = std::function<bool(const Plugin&)>;
    void search();
    std::size_t hold(const std::string& path, std::size_t folder);
    void renew(Held& one, bool again = false);
    bool is_linked(const std::optional<FileIdentity>& identity);
    bool is_there(const Held& one);
    Judged judged();
    Judged look();
    Result<void> open(std::size_t place);
    std::optional<Result<void>> open_first(const Wanted& wanted);
    Result<LoadedBackend> load_backend(std::size_t place, const PluginBackend& said);
    Result<void> load_path(const std::string& path);
    Result<void> load_id(std::string_view id, bool retired_too);
    std::optional<std::string> loaded_from(std::string_view id_or_path);

    std::unique_ptr<State> state_;
};

}  // namespace muster
