// Opens and retires plugins.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/plugins/plugin_open.hpp>
#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/driver/plugins/plugins_state.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

bool is_path(std::string_view text) { return text.find('/') != std::string_view::npos; }

}  // namespace

/// Opens a plugin whatever its state was, also one that is retired. `index`: its index in State::files.
Result<void> Plugins::open(std::size_t index) {
    std::string path;
    std::optional<Error> warning;
    CodePlace place = CodePlace::found;
    {
        const std::lock_guard lock(plugins_mutex);
        FoundFile& one = state_->files[index];
        if (const std::string& library = module_being_admitted(); !library.empty())
            return fail(ErrorCode::refused,
                        fmt::format("A constructor asks for the plugin {} while muster opens the library {}.",
                                    printable(one.path), printable(library)),
                        "load it after that, from a function that the program calls");
        renew(one);
        if (one.is_barred()) return std::unexpected(plugins::refused(one.path, *one.unsafe));
        if (one.file.refused) return std::unexpected(plugins::refused(one.path, *one.file.refused));
        ++one.opening;
        path = one.path;
        if (one.named) place = CodePlace::named;
        warning = plugins::caution(path, one.unsafe);
    }
    if (warning) log_once(LogLevel::warning, "caution: " + path, warning->message + " Fix: " + warning->fix);
    const auto opened =
        guarded("Opening the plugin " + printable(path), [&] { return plugins::open_plugin(path, place); });
    const std::lock_guard lock(plugins_mutex);
    FoundFile& one = state_->files[index];
    --one.opening;
    ++state_->generation;
    if (opened) {
        one.loaded = true;
        one.failed.reset();
        return {};
    }
    if (!one.loaded) one.failed = opened.error();
    return std::unexpected(plugins::refused(path, opened.error()));
}

/// Tries the wanted plugins in the order of the search until one opens. Determines all states again after
/// each failure, because it may make later plugins usable. Returns the first error if none opens, and
/// nothing if none is wanted.
std::optional<Result<void>> Plugins::open_first(const Wanted& wanted) {
    std::optional<Result<void>> first;
    std::set<std::size_t> tried;
    for (;;) {
        std::optional<std::size_t> index;
        {
            const std::lock_guard lock(plugins_mutex);
            const States all = states();
            for (std::size_t i = 0; i < all.plugins.size() && !index; ++i)
                if (!tried.contains(all.indices[i]) && wanted(all.plugins[i])) index = all.indices[i];
        }
        if (!index) return first;
        tried.insert(*index);
        auto opened = open(*index);
        if (opened) return opened;
        if (!first) first = std::move(opened);
    }
}

/// Opens the plugin whose backend routing chose by its description `described`. If it doesn't open, another
/// plugin with an equally described backend is used instead. One with a different description can be chosen
/// by sessions opened later.
Result<LoadedBackend> Plugins::load_backend(std::size_t index, const PluginBackend& described) {
    std::string path;
    bool is_retired = false;
    {
        const std::lock_guard lock(plugins_mutex);
        const FoundFile& one = state_->files[index];
        path = one.path;
        is_retired = one.loaded && !is_there(one);
    }
    if (is_retired) return std::unexpected(plugins::retired(path));
    if (auto opened = open(index); !opened) {
        const auto other = open_first([&](const Plugin& plugin) {
            const PluginBackend* backend = plugins::find_backend(plugin, described.id);
            return plugin.state == PluginState::not_opened && backend &&
                   plugins::same_claims(*backend, described);
        });
        if (!other || !*other) return std::unexpected(std::move(opened).error());
    }
    const Registry& registry = muster::registry();
    const RegisteredBackend* backend = registry.find(described.id);
    if (backend == nullptr)
        return fail(ErrorCode::unavailable,
                    fmt::format("The plugin {} is open, but doesn't register \"{}\" as its file said.",
                                printable(path), described.id),
                    "start the program again: the file has changed");
    return LoadedBackend{backend->supported_ops(),
                         [&registry, id = described.id] { return registry.construct(id); }};
}

Result<void> Plugins::load(std::string_view id_or_path) {
    return is_path(id_or_path) ? load_path(std::string(id_or_path)) : load_id(id_or_path, true);
}

Result<void> Plugins::provide(std::string_view id) { return load_id(id, false); }

Result<void> Plugins::load_path(const std::string& path) {
    std::size_t index = 0;
    {
        const std::lock_guard lock(plugins_mutex);
        if (!platform::file_identity(path))
            return fail(ErrorCode::not_found, fmt::format("There is no plugin {}.", printable(path)),
                        "check the path");
        index = hold(path, state_->folders.size() + state_->files.size(), true);
        FoundFile& one = state_->files[index];
        if (is_there(one)) return {};
        renew(one, true);
        if (one.is_barred()) return std::unexpected(plugins::refused(one.path, *one.unsafe));
        if (one.file.refused) return std::unexpected(plugins::refused(one.path, *one.file.refused));
        if (one.file.backends.empty() && one.file.packs.empty())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} registers no backend.", printable(one.path)),
                        "submit its records, and link them into it");
        for (const PluginPack& pack : one.file.packs)
            if (const auto taken = plugins::pack_taken_by(registry(), pack.id))
                return std::unexpected(plugins::refused(one.path, *taken));
        for (const PluginBackend& backend : one.file.backends)
            if (const auto taken = plugins::taken_by(registry(), backend.id))
                return std::unexpected(plugins::refused(one.path, *taken));
    }
    return open(index);
}

Result<void> Plugins::load_id(std::string_view id, bool retired_too) {
    if (registry().find(id) != nullptr) return {};
    {
        const std::lock_guard lock(plugins_mutex);
        search();
        for (FoundFile& one : state_->files) renew(one, true);  // files may have been repaired
    }
    bool is_there = false;  // true if another thread has just opened it; it may be retired again
    const auto opened = open_first([&](const Plugin& plugin) {
        if (plugins::find_backend(plugin, id) == nullptr) return false;
        is_there = is_there || plugin.state == PluginState::loaded;
        if (plugin.state == PluginState::refused) return plugin.reason->code != ErrorCode::conflict;
        return plugin.state == PluginState::not_opened ||
               (retired_too && plugin.state == PluginState::retired);
    });
    if (is_there) return {};
    if (opened) return *opened;
    std::vector<std::string> there;
    for (const Plugin& plugin : list()) {
        if (plugins::find_backend(plugin, id) && plugin.reason) return std::unexpected(*plugin.reason);
        for (const PluginBackend& backend : plugin.backends) there.push_back(backend.id);
    }
    for (const RegisteredBackend& backend : registered_backends()) there.emplace_back(backend.id);
    std::ranges::sort(there);
    there.erase(std::ranges::unique(there).begin(), there.end());
    return fail(ErrorCode::not_found, fmt::format("No plugin has a backend called \"{}\".", printable(id)),
                fmt::format("{}; or put its plugin into a folder of MUSTER_BACKEND_PATH, or give its path",
                            how_to_link(id, there)));
}

Result<void> Plugins::provide_pack(std::string_view id) {
    if (registry().find_pack(id) != nullptr) return {};
    const auto has_it = [&](const Plugin& plugin) {
        return std::ranges::find(plugin.packs, id, &PluginPack::id) != plugin.packs.end();
    };
    const std::vector<Plugin> all = list();  // reads files again that may have been repaired
    if (const auto opened = open_first(
            [&](const Plugin& plugin) { return plugin.state == PluginState::not_opened && has_it(plugin); }))
        return *opened;
    for (const Plugin& plugin : all)
        if (has_it(plugin) && plugin.reason) return std::unexpected(*plugin.reason);
    return fail(ErrorCode::not_found, fmt::format("No plugin has a pack called \"{}\".", printable(id)));
}

/// The path of the loaded plugin with this id or path; none if there isn't one.
std::optional<std::string> Plugins::loaded_from(std::string_view id_or_path) {
    const std::lock_guard lock(plugins_mutex);
    const RegisteredBackend* backend = registry().find(id_or_path);
    const auto identity = platform::file_identity(std::string(id_or_path));
    for (const FoundFile& one : state_->files) {
        if (!one.loaded || !is_there(one)) continue;
        if (is_path(id_or_path) ? one.path == id_or_path || (identity && one.status->identity == identity)
                                : backend && backend->module == one.path)
            return one.path;
    }
    return std::nullopt;
}

Result<void> Plugins::retire(std::string_view id_or_path) {
    const auto path = loaded_from(id_or_path);
    if (!path || !retire_module(*path))
        return fail(
            ErrorCode::not_found,
            is_path(id_or_path)
                ? fmt::format("No plugin is loaded from {}.", printable(id_or_path))
                : fmt::format("No plugin that is loaded has a backend called \"{}\".", printable(id_or_path)),
            "only what load() or routing opened can be retired; exclude other backends (MUSTER_EXCLUDE)");
    const std::lock_guard lock(plugins_mutex);
    ++state_->generation;
    return {};
}

bool Plugins::is_loaded(std::string_view id_or_path) {
    if (!is_path(id_or_path)) return registry().find(id_or_path) != nullptr;
    if (loaded_from(id_or_path)) return true;
    const std::lock_guard lock(plugins_mutex);
    return is_linked(platform::file_identity(std::string(id_or_path)));
}

}  // namespace muster
