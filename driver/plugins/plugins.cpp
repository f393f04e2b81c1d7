// Finds plugins and determines their states; plugins_load.cpp opens them.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/plugins/plugin_open.hpp>
#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/driver/plugins/plugins_state.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/registry/freeze.hpp>

namespace muster {

namespace {

/// The path without symbolic links: the loader then resolves $ORIGIN to the library's own folder, and each
/// library has a single name, however it was found.
std::string real_path(std::string_view path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error ? std::string(path) : real.string();
}

void log_all_refused(const std::vector<Plugin>& all) {
    for (const Plugin& plugin : all)
        if (plugin.state == PluginState::refused)
            log_once(LogLevel::info, plugin.path, plugin.reason->to_string());
}

FleetEntry entry_of(const Plugin& plugin, const PluginBackend& backend) {
    FleetEntry entry{
        .id = backend.id, .rank = backend.rank, .dispatches = backend.dispatches, .tags = backend.tags};
    entry.module = plugin.path;
    entry.hides_devices = backend.hides_devices;
    return entry;
}

}  // namespace

Plugins::Plugins(std::vector<PluginFolder> folders, bool automatic) : state_(std::make_unique<State>()) {
    state_->folders = std::move(folders);
    state_->automatic = automatic;
}

Plugins::~Plugins() = default;

Plugins& Plugins::process() {
    static auto* const shared = [] {
        const auto environment = environment_plugins();
        return environment ? new Plugins(plugin_folders(*environment), environment->autoload)
                           : new Plugins({}, false);
    }();
    return *shared;
}

/// Reads the folders, once. The caller holds the mutex.
void Plugins::search() {
    if (std::exchange(state_->searched, true)) return;
    for (std::size_t i = 0; i < state_->folders.size(); ++i) {
        std::vector<std::string> files = plugin_names(state_->folders[i]);
        for (std::string& file : files) file.insert(0, state_->folders[i].path + "/");
        platform::read_ahead(files);
        const bool named = state_->folders[i].from == PluginFolder::From::environment;
        for (const std::string& file : files) hold(file, i, named);
    }
    ++state_->generation;
}

/// Returns the index of this file in State::files; reads the file if it is new. `named`: the user named it or
/// its folder. The caller holds the mutex.
std::size_t Plugins::hold(const std::string& path, std::size_t folder, bool named) {
    std::vector<FoundFile>& files = state_->files;
    const std::string found = std::filesystem::absolute(path).lexically_normal().string();
    const std::string real = real_path(found);
    const auto by_path = std::ranges::find_if(
        files, [&](const FoundFile& one) { return one.path == real || one.found == found; });
    const auto status = platform::file_status(found);
    // Inodes are reused, so a known file must still have its inode.
    const auto is_same = [&](FoundFile& one) {
        if (!status || !one.status || one.status->identity != status->identity) return false;
        renew(one);
        return one.status && one.status->identity == status->identity;
    };
    const auto known = by_path != files.end() ? by_path : std::ranges::find_if(files, is_same);
    if (known != files.end()) {
        if (named && !std::exchange(known->named, true)) ++state_->generation;
        renew(*known);
        return static_cast<std::size_t>(known - files.begin());
    }
    files.push_back({.found = found,
                     .path = real,
                     .folder = folder,
                     .status = status,
                     .file = read_plugin_file(real),
                     .failed = {},
                     .named = named,
                     .unsafe = {}});
    judge(files.back());
    ++state_->generation;
    return files.size() - 1;
}

/// Finds out who else may change the file. The caller holds the mutex.
void Plugins::judge(FoundFile& one) {
    auto unsafe = platform::why_not_run(one.path);
    if (unsafe && !one.named)
        unsafe->fix += "; or name its folder in MUSTER_BACKEND_PATH, if you trust all who may change it";
    if (unsafe.has_value() != one.unsafe.has_value()) ++state_->generation;
    one.unsafe = std::move(unsafe);
}

/// Reads an unopened plugin's file again if it has changed. `again`: reads a refused one even if its file
/// seems unchanged. The caller holds the mutex.
void Plugins::renew(FoundFile& one, bool again) {
    if (one.loaded || one.opening > 0) return;
    const auto status = platform::file_status(one.found);
    const bool has_changed = status != one.status;
    if (has_changed) one.path = real_path(one.found);
    judge(one);
    if (!has_changed && !(again && one.file.refused)) return;
    const bool was_refused = one.file.refused.has_value();
    one.status = status;
    one.file = read_plugin_file(one.path);
    if (has_changed) one.failed.reset();
    if (has_changed || was_refused != one.file.refused.has_value()) ++state_->generation;
}

/// True if the process has this library and its records already, linked or opened by any code.
/// The caller holds the mutex.
bool Plugins::is_linked(const std::optional<platform::FileIdentity>& identity) {
    const Registry& registry = muster::registry();
    if (state_->registry != &registry) {
        state_->registry = &registry;
        state_->linked.clear();
        for (const std::string& module : registry.modules())
            if (const auto one = platform::file_identity(module)) state_->linked.push_back(*one);
    }
    return identity && std::ranges::find(state_->linked, *identity) != state_->linked.end();
}

/// True if the registry has this library's records. A loaded one is found by its path, because its file may
/// have been replaced. The caller holds the mutex.
bool Plugins::is_there(const FoundFile& one) {
    if (one.loaded) {
        const auto modules = registry().modules();
        return std::ranges::find(modules, one.path) != modules.end();
    }
    return one.status && is_linked(one.status->identity);
}

/// Determines the state of every plugin in State::files. The caller holds the mutex.
Plugins::States Plugins::states() {
    const auto unusable = plugins::cannot_open_plugins();
    States all;
    std::vector<std::size_t> folders;
    std::set<platform::FileIdentity> seen;  // since they were found, two paths may have become one file
    for (std::size_t i = 0; i < state_->files.size(); ++i) {
        const FoundFile& one = state_->files[i];
        const bool there = is_there(one);
        if (there && !one.loaded && one.opening == 0) continue;  // linked, or opened by other code
        if (one.status && !seen.insert(one.status->identity).second) continue;
        Plugin& plugin = all.plugins.emplace_back(
            Plugin{one.path, PluginState::not_opened, one.file.backends, one.file.packs, one.file.abi, {}});
        all.indices.push_back(i);
        folders.push_back(one.folder);
        if (there) {
            plugin.state = PluginState::loaded;
        } else if (one.loaded) {
            plugin.state = PluginState::retired;
            plugin.reason = plugins::retired(one.path);
        } else if (one.is_barred()) {
            plugins::set(plugin, PluginState::refused, *one.unsafe);
        } else if (one.failed || one.file.refused) {
            plugins::set(plugin, PluginState::refused, one.failed ? *one.failed : *one.file.refused);
        } else if (plugin.backends.empty() && plugin.packs.empty()) {
            plugin.state = PluginState::empty;
        } else if (unusable) {
            plugins::set(plugin, PluginState::refused, *unusable);
        }
        if (!there && !one.loaded && !one.is_barred())
            plugin.caution = plugins::caution(one.path, one.unsafe);
    }
    plugins::select_usable(all.plugins, folders, registry());
    return all;
}

Plugins::States Plugins::current_states() {
    const std::lock_guard lock(plugins_mutex);
    if (state_->automatic) search();
    for (FoundFile& one : state_->files) renew(one);
    return states();
}

std::vector<Plugin> Plugins::list() {
    std::vector<Plugin> all = current_states().plugins;
    log_all_refused(all);
    return all;
}

void Plugins::log_refused() { log_all_refused(current_states().plugins); }

std::vector<PluginFolder> Plugins::folders() {
    const std::lock_guard lock(plugins_mutex);
    if (state_->automatic) search();
    return state_->folders;
}

std::uint64_t Plugins::generation() {
    const std::lock_guard lock(plugins_mutex);
    if (state_->automatic) search();
    return state_->generation;
}

std::string Plugins::file_with(std::string_view id) {
    if (!state_->automatic) return {};  // loaded plugins are in the registry
    const std::lock_guard lock(plugins_mutex);
    search();
    for (FoundFile& one : state_->files) {
        renew(one);
        if (std::ranges::find(one.file.backends, id, &PluginBackend::id) != one.file.backends.end())
            return one.path;
    }
    return {};
}

bool Plugins::is_automatic() const { return state_->automatic; }

std::vector<FleetEntry> Plugins::entries() {
    if (!state_->automatic) return {};  // loaded plugins are in the registry
    const States all = current_states();
    std::vector<FleetEntry> entries;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < all.plugins.size(); ++i) {
        const Plugin& plugin = all.plugins[i];
        if (plugin.state != PluginState::not_opened) continue;
        for (const PluginBackend& backend : plugin.backends) {
            FleetEntry& entry = entries.emplace_back(entry_of(plugin, backend));
            entry.load = [this, index = all.indices[i], backend] { return load_backend(index, backend); };
            ids.insert(backend.id);
        }
    }
    // Adds the reason why an id that only unusable plugins have can't be loaded. A refused plugin keeps
    // its rank, so that routes which it would have won warn of it; plugins that were retired or passed
    // over are so by someone's choice.
    const Registry& registry = muster::registry();
    for (const Plugin& plugin : all.plugins)
        for (const PluginBackend& backend : plugin.backends) {
            if (!plugin.reason || !plugins::module_with(registry, backend.id).empty() ||
                !ids.insert(backend.id).second)
                continue;
            FleetEntry& entry = entries.emplace_back(entry_of(plugin, backend));
            entry.fault = plugin.reason;
            if (plugin.state == PluginState::refused) continue;
            entry.rank = unranked;
            entry.dispatches = false;
        }
    return entries;
}

}  // namespace muster
