// plugins.hpp - backends in libraries that the program doesn't link: found in folders, listed from their
// files, opened when needed.
//
//     for (const Plugin& plugin : Plugins::process().list()) ...        // opens none
//     auto loaded = Plugins::process().load("cuda");                    // or a path: "/opt/x/libmuster_backend_x.so"
//     if (!loaded) std::puts(loaded.error().to_string().c_str());
//
// Calling load() is optional: routing opens a plugin when it considers one of its backends. docs/plugins.md
// lists the folders and the files' names; with MUSTER_AUTOLOAD=0, none are searched for. A
// plugin that can't be read, opened or used only leaves its reason, and affects no other backend.
//
//   - A backend that the process has stays: a plugin with the id of a linked or
//     loaded backend is passed over.
//   - Of plugins in two folders with one id, the one in the earlier folder is used; of
//     two in one folder, neither.
//   - A plugin that other users may change isn't opened (docs/security.md); where the user named the file or
//     its folder, it is, with a warning.
//   - Files are identified by device and inode: one library reached by two paths is one plugin.
//   - An open plugin stays open until the process ends: retire() hides it from sessions opened
//     later, but unmaps nothing.
//   - list() and load() check the files of unopened plugins again: they may have been
//     repaired, replaced or removed.
//   - With a static driver no plugin is opened: it would bring a second driver.
//
// Threads: any, at the same time. A library's constructors must not call these; calls from constructors of a
// plugin that muster is opening are refused if they would open another one.
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
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
namespace platform {
struct FileIdentity;  // driver/platform/file.hpp: internal
}
MUSTER_API_BEGIN

enum class PluginState : std::uint8_t {
    not_opened,   // its file is valid; it is opened when needed
    loaded,       // its backends are in the registry
    retired,      // retire() took it out of the registry; it is still open
    passed_over,  // another backend has its id
    refused,      // it can't be read or opened, or its records are wrong
    empty,        // a library that registers no backend and no pack
};
std::string_view name(PluginState state);

struct Plugin {
    std::string path;
    PluginState state = PluginState::not_opened;
    std::vector<PluginBackend> backends;
    std::vector<PluginPack> packs;
    std::string abi;
    std::optional<Error> reason;  // set if passed_over, refused or retired
    std::optional<Error>
        caution;  // set if others may change it, and it is opened because the user named its place
};

class Plugins {
  public:
    /// Searches these folders in order, at first use. If not `automatic`, only when load() is given an id.
    explicit Plugins(std::vector<PluginFolder> folders, bool automatic = true);
    ~Plugins();
    Plugins(const Plugins&) = delete;
    Plugins& operator=(const Plugins&) = delete;

    /// The process's plugins, with the search path of environment_plugins(); without
    /// folders if that is an error.
    static Plugins& process();

    /// All plugins that were found, in the order of the search, then those that were loaded by path. Reads
    /// the files the first time; opens none.
    std::vector<Plugin> list();
    /// The folders of the search path, with their errors.
    std::vector<PluginFolder> folders();

    /// Opens the plugin that has a backend of this id, or the one at this path (any text with a '/'). Does
    /// nothing if the process has the backend, or the library, already. Tries a refused plugin again and
    /// takes a retired one back; of several plugins with the id, opens the first that it can.
    /// Errors: not_found, with the known ids; the plugin's reason; unsupported with a static driver.
    Result<void> load(std::string_view id_or_path);
    /// As load() with an id, but leaves a retired plugin retired: for callers that want a
    /// backend, not a certain plugin.
    Result<void> provide(std::string_view id);
    /// Opens the plugin that has a pack of this id, if the process doesn't have the pack. Errors:
    /// not_found, and those of load().
    Result<void> provide_pack(std::string_view id);
    /// Takes the loaded plugin that has this backend, or is at this path, out of the registry, with all its
    /// backends: later lookups don't find it, and routing doesn't take it back. Open sessions, backends and
    /// spans of older registries keep it, because it isn't unmapped. load() takes it back.
    /// Errors: not_found, if there is no such loaded plugin.
    Result<void> retire(std::string_view id_or_path);
    /// True if the process has a usable backend of this id, or the library at this path with its backends.
    bool is_loaded(std::string_view id_or_path);

    /// The path of a plugin with a backend of this id, usable or not, whose file was found by itself or
    /// loaded; empty if there is none. Reads no registry, and opens none.
    std::string file_with(std::string_view id);

    /// True if the folders are searched without a call of load(); false with MUSTER_AUTOLOAD=0.
    bool is_automatic() const;

    /// The fleet's entries: one for each backend of a plugin that can be opened, and for each other id that
    /// no library holds one with the reason why it can't be used (refused, passed over, retired). They must
    /// not outlive this object. Logs nothing, so that it may be called under a lock.
    std::vector<FleetEntry> entries();
    /// Logs the reason of each refused plugin, once per process. Holds no lock while a log sink runs.
    void log_refused();
    /// A number that grows when a plugin is found, opened, refused, read again or retired,
    /// which may change entries().
    std::uint64_t generation();

  private:
    struct FoundFile;
    struct State;
    struct States;
    using Wanted = std::function<bool(const Plugin&)>;
    void search();
    std::size_t hold(const std::string& path, std::size_t folder, bool named);
    void judge(FoundFile& one);
    void renew(FoundFile& one, bool again = false);
    bool is_linked(const std::optional<platform::FileIdentity>& identity);
    bool is_there(const FoundFile& one);
    States states();
    States current_states();
    Result<void> open(std::size_t index);
    std::optional<Result<void>> open_first(const Wanted& wanted);
    Result<LoadedBackend> load_backend(std::size_t index, const PluginBackend& described);
    Result<void> load_path(const std::string& path);
    Result<void> load_id(std::string_view id, bool retired_too);
    std::optional<std::string> loaded_from(std::string_view id_or_path);

    std::unique_ptr<State> state_;
};

MUSTER_API_END
}  // namespace muster
