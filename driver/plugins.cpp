#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/elf_file.hpp>
#include <muster/driver/environment.hpp>
#include <muster/driver/freeze.hpp>
#include <muster/driver/guard.hpp>
#include <muster/driver/log.hpp>
#include <muster/driver/plugin_open.hpp>
#include <muster/driver/plugins.hpp>
#include <muster/driver/project_backends.hpp>
#include <muster/foundation/try.hpp>

namespace muster {

std::string_view name(PluginState state) {
    switch (state) {
        case PluginState::not_opened: return "not_opened";
        case PluginState::loaded: return "loaded";
        case PluginState::passed_over: return "passed_over";
        case PluginState::refused: return "refused";
        case PluginState::empty: return "empty";
    }
    return "unknown";
}

/// A file that was found. `folder`: its place on the search path; beyond that, loaded by its path.
struct Plugins::Held {
    std::string path;
    std::size_t folder = 0;
    std::optional<FileIdentity> identity;
    PluginFile file;
    bool loaded = false;
    int opening = 0;              // threads that are at it: the registry may have it before they are done
    std::optional<Error> failed;  // to open
};

struct Plugins::State {
    std::mutex mutex;  // guards what follows; not held while a library is opened
    std::uint64_t generation = 1;
    std::vector<PluginFolder> folders;
    bool automatic = true;
    bool searched = false;
    std::vector<Held> held;
    const Registry* registry = nullptr;  // that `linked` is of
    std::vector<FileIdentity> linked;    // the modules of the process that hold records
};

namespace {

bool has_backend(const Plugin& plugin, std::string_view id) {
    return std::ranges::find(plugin.backends, id, &PluginBackend::id) != plugin.backends.end();
}

bool is_path(std::string_view text) { return text.find('/') != std::string_view::npos; }

/// Where the loader's $ORIGIN is meant to be, and what one library is called by all who open it.
std::string real_path(std::string_view path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error ? std::string(path) : real.string();
}

void set(Plugin& plugin, PluginState state, const Error& why) {
    plugin.state = state;
    plugin.reason = Error{why.code,
                          fmt::format("The plugin {} is {}: {}", plugin.path,
                                      state == PluginState::refused ? "refused" : "passed over", why.message),
                          why.fix, why.context};
}

/// From where the process has a backend of this id; empty: it has none.
std::string_view holder(const Registry& registry, std::string_view id) {
    if (const RegisteredBackend* backend = registry.find(id)) return backend->module;
    const RegistryFault* fault = registry.fault(id);
    return fault && fault->rule == RegistryRule::duplicate_registration ? "several libraries" : "";
}

/// Which plugins offer an id, by folder.
using Offers = std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>>;

/// Of two files in one folder nobody said which comes first.
void refuse_twins(std::vector<Plugin>& all, const Offers& offers) {
    for (const auto& [offer, plugins] : offers) {
        if (plugins.size() == 1) continue;
        std::vector<std::string> paths;
        for (const std::size_t i : plugins) paths.push_back(all[i].path);
        for (const std::size_t i : plugins)
            set(all[i], PluginState::refused,
                {ErrorCode::conflict,
                 fmt::format("\"{}\" is in {}; neither is usable.", offer.second,
                             fmt::join(paths, " and in ")),
                 "keep one of them in the folder",
                 {}});
    }
}

std::optional<Error> taken_by(std::string_view id) {
    const std::string_view there = holder(registry(), id);
    if (there.empty()) return std::nullopt;
    return Error{ErrorCode::conflict,
                 fmt::format("The process has the backend \"{}\" already, from {}.", id, there),
                 {},
                 {}};
}

/// What the process has, or a plugin in an earlier folder, comes first.
void pass_over_taken(std::vector<Plugin>& all) {
    std::map<std::string_view, std::string_view> offered;  // by id: the path
    for (Plugin& plugin : all) {
        if (plugin.state != PluginState::not_opened) continue;
        std::optional<Error> reason;
        for (const PluginBackend& backend : plugin.backends) {
            if (!reason) reason = taken_by(backend.id);
            const auto earlier = offered.find(backend.id);
            if (!reason && earlier != offered.end())
                reason = Error{ErrorCode::conflict,
                               fmt::format("\"{}\" is in {}, which comes first on the search path.",
                                           backend.id, earlier->second),
                               {},
                               {}};
        }
        if (reason) {
            set(plugin, PluginState::passed_over, *reason);
            continue;
        }
        for (const PluginBackend& backend : plugin.backends) offered.emplace(backend.id, plugin.path);
    }
}

void log_all_refused(const std::vector<Plugin>& all) {
    for (const Plugin& plugin : all)
        if (plugin.state == PluginState::refused)
            log_once(LogLevel::info, plugin.path, plugin.reason->to_string());
}

Error refused(const std::string& path, const Error& why) {
    Plugin plugin{path, PluginState::refused, {}, {}, {}};
    set(plugin, PluginState::refused, why);
    return *std::move(plugin.reason);
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

/// Under the mutex. Reads the folders, once.
void Plugins::search() {
    if (std::exchange(state_->searched, true)) return;
    for (std::size_t i = 0; i < state_->folders.size(); ++i) {
        std::vector<std::string> files = plugin_names(state_->folders[i]);
        for (std::string& file : files) file.insert(0, state_->folders[i].path + "/");
        read_ahead(files);
        for (const std::string& file : files) hold(file, i);
    }
    ++state_->generation;
}

/// Under the mutex. The place of this file among those that are held; reads it where it is new.
std::size_t Plugins::hold(const std::string& path, std::size_t folder) {
    std::vector<Held>& held = state_->held;
    const auto identity = file_identity(path);
    const auto known = std::ranges::find_if(
        held, [&](const Held& one) { return identity ? one.identity == identity : one.path == path; });
    if (known != held.end()) return static_cast<std::size_t>(known - held.begin());
    const std::string real = real_path(path);
    held.push_back(
        {.path = real, .folder = folder, .identity = identity, .file = read_plugin_file(real), .failed = {}});
    ++state_->generation;
    return held.size() - 1;
}

/// Under the mutex. Whether the process has this library already: linked, or opened by whomever.
bool Plugins::is_linked(const std::optional<FileIdentity>& identity) {
    const Registry& registry = muster::registry();
    if (state_->registry != &registry) {
        state_->registry = &registry;
        state_->linked.clear();
        for (const std::string& module : registry.modules())
            if (const auto one = file_identity(module)) state_->linked.push_back(*one);
    }
    return identity && std::ranges::find(state_->linked, *identity) != state_->linked.end();
}

/// Under the mutex. Every held file, as the process is now.
std::vector<Plugin> Plugins::judged() {
    const auto unusable = cannot_open_plugins();
    std::vector<Plugin> all;
    Offers offers;
    for (const Held& one : state_->held) {
        const bool linked = is_linked(one.identity);
        if (linked && !one.loaded && one.opening == 0) continue;  // no plugin of ours
        Plugin& plugin =
            all.emplace_back(Plugin{one.path, PluginState::not_opened, one.file.backends, one.file.abi, {}});
        if (one.loaded || linked)
            plugin.state = PluginState::loaded;
        else if (one.failed || one.file.refused)
            set(plugin, PluginState::refused, one.failed ? *one.failed : *one.file.refused);
        else if (plugin.backends.empty())
            plugin.state = PluginState::empty;
        else if (unusable)
            set(plugin, PluginState::refused, *unusable);
        else
            for (const PluginBackend& backend : plugin.backends)
                offers[{one.folder, backend.id}].push_back(all.size() - 1);
    }
    refuse_twins(all, offers);
    pass_over_taken(all);
    return all;
}

std::vector<Plugin> Plugins::look() {
    const std::lock_guard lock(state_->mutex);
    if (state_->automatic) search();
    return judged();
}

std::vector<Plugin> Plugins::list() {
    std::vector<Plugin> all = look();
    log_all_refused(all);
    return all;
}

void Plugins::log_refused() { log_all_refused(look()); }

std::vector<PluginFolder> Plugins::folders() {
    const std::lock_guard lock(state_->mutex);
    if (state_->automatic) search();
    return state_->folders;
}

std::uint64_t Plugins::generation() {
    const std::lock_guard lock(state_->mutex);
    if (state_->automatic) search();
    return state_->generation;
}

Result<void> Plugins::open(const std::string& path) {
    if (const std::string& library = module_being_admitted(); !library.empty())
        return fail(ErrorCode::refused,
                    fmt::format("A constructor asks for the plugin {} while muster opens the library {}.",
                                path, library),
                    "load it after that, from a function that the program calls");
    const auto count = [&](int change) -> Held& {
        Held& one = *std::ranges::find(state_->held, path, &Held::path);
        one.opening += change;
        return one;
    };
    {
        const std::lock_guard lock(state_->mutex);
        count(1);
    }
    const auto opened = guarded("Opening the plugin " + path, [&] { return open_plugin(path); });
    const std::lock_guard lock(state_->mutex);
    Held& one = count(-1);
    if (opened && one.loaded) return {};
    one.loaded = opened.has_value();
    one.failed = opened ? std::nullopt : std::optional(opened.error());
    ++state_->generation;
    if (!opened) return std::unexpected(refused(path, opened.error()));
    return {};
}

Result<LoadedBackend> Plugins::load_backend(const std::string& path, const std::string& id) {
    TRY(open(path));
    const Registry& registry = muster::registry();
    const RegisteredBackend* backend = registry.find(id);
    if (backend == nullptr)
        return fail(
            ErrorCode::unavailable,
            fmt::format("The plugin {} is open, but doesn't register \"{}\" as its file said.", path, id),
            "start the program again: the file has changed");
    return LoadedBackend{backend->supported_ops(), [&registry, id] { return registry.acquire(id); }};
}

Result<void> Plugins::load(std::string_view id_or_path) {
    return is_path(id_or_path) ? load_path(std::string(id_or_path)) : load_id(id_or_path);
}

Result<void> Plugins::load_path(const std::string& path) {
    std::string real;
    {
        const std::lock_guard lock(state_->mutex);
        if (!file_identity(path))
            return fail(ErrorCode::not_found, fmt::format("There is no plugin {}.", path), "check the path");
        Held& one = state_->held[hold(path, state_->folders.size() + state_->held.size())];
        if (one.loaded || is_linked(one.identity)) return {};
        if (one.file.refused || one.failed) one.file = read_plugin_file(one.path);  // it may be mended
        if (one.file.refused) return std::unexpected(refused(one.path, *one.file.refused));
        if (one.file.backends.empty())
            return fail(ErrorCode::invalid_argument, fmt::format("{} registers no backend.", one.path),
                        "submit its records, and link them into it");
        for (const PluginBackend& backend : one.file.backends)
            if (const auto taken = taken_by(backend.id)) return std::unexpected(refused(one.path, *taken));
        real = one.path;
    }
    return open(real);
}

Result<void> Plugins::load_id(std::string_view id) {
    if (registry().find(id) != nullptr) return {};
    std::vector<Plugin> all;
    {
        const std::lock_guard lock(state_->mutex);
        search();
        all = judged();
    }
    std::optional<Error> reason;
    std::vector<std::string> there;
    for (const Plugin& plugin : all) {
        if (!has_backend(plugin, id)) {
            for (const PluginBackend& backend : plugin.backends) there.push_back(backend.id);
            continue;
        }
        if (plugin.state == PluginState::loaded) return {};  // by another thread, just now
        if (plugin.state == PluginState::not_opened) return open(plugin.path);
        // It may be mended by now.
        if (plugin.state == PluginState::refused && plugin.reason->code != ErrorCode::conflict) {
            auto again = load_path(plugin.path);
            if (again) return again;
            if (!reason) reason = again.error();
        }
        if (!reason) reason = plugin.reason;
    }
    if (reason) return std::unexpected(*std::move(reason));
    for (const RegisteredBackend& backend : registered_backends()) there.emplace_back(backend.id);
    std::ranges::sort(there);
    there.erase(std::ranges::unique(there).begin(), there.end());
    return fail(ErrorCode::not_found, fmt::format("No plugin has a backend called \"{}\".", id),
                fmt::format("{}; or put its plugin into a folder of MUSTER_BACKEND_PATH, or give its path",
                            how_to_have(id, there)));
}

bool Plugins::is_automatic() const { return state_->automatic; }

bool Plugins::is_loaded(std::string_view id_or_path) {
    if (!is_path(id_or_path)) return registry().find(id_or_path) != nullptr;
    const std::lock_guard lock(state_->mutex);
    return is_linked(file_identity(std::string(id_or_path)));
}

std::vector<FleetEntry> Plugins::entries() {
    std::vector<FleetEntry> entries;
    if (!state_->automatic) return entries;  // what was loaded is in the registry
    for (const Plugin& plugin : look())
        for (const PluginBackend& backend : plugin.backends) {
            if (plugin.state != PluginState::not_opened && plugin.state != PluginState::refused) continue;
            FleetEntry entry{.id = backend.id,
                             .rank = backend.rank,
                             .dispatches = backend.dispatches,
                             .tags = backend.tags};
            entry.module = plugin.path;
            entry.hides_devices = backend.hides_devices;
            if (plugin.state == PluginState::refused)
                entry.fault = plugin.reason;
            else
                entry.load = [this, path = plugin.path, id = backend.id] { return load_backend(path, id); };
            entries.push_back(std::move(entry));
        }
    return entries;
}

}  // namespace muster
