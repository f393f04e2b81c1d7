#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {

std::string_view name(PluginState state) { return enum_name(state); }

}  // namespace muster

namespace muster::plugins {
namespace {

/// The id of a backend or a pack in a plugin; another plugin may have the same.
struct Offer {
    bool is_pack = false;
    std::string_view id;
    auto operator<=>(const Offer&) const = default;
};

std::vector<Offer> offers_of(const Plugin& plugin) {
    std::vector<Offer> offers;
    for (const PluginBackend& backend : plugin.backends) offers.push_back({false, backend.id});
    for (const PluginPack& pack : plugin.packs) offers.push_back({true, pack.id});
    return offers;
}

/// Refuses plugins in one folder with the same id, because nothing says which comes first.
void refuse_twins(std::vector<Plugin>& all, const std::vector<std::size_t>& folders) {
    std::map<std::pair<std::size_t, Offer>, std::vector<std::size_t>> offers;  // by folder and id
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].state == PluginState::not_opened)
            for (const Offer& offer : offers_of(all[i])) offers[{folders[i], offer}].push_back(i);
    for (const auto& [offer, plugins] : offers) {
        if (plugins.size() == 1) continue;
        std::vector<std::string> paths;
        for (const std::size_t i : plugins) paths.push_back(printable(all[i].path));
        for (const std::size_t i : plugins)
            set(all[i], PluginState::refused,
                {ErrorCode::conflict,
                 fmt::format("\"{}\" is in {}; neither is usable.", offer.second.id,
                             fmt::join(paths, " and in ")),
                 "keep one of them in the folder",
                 {}});
    }
}

/// Passes over plugins whose id is taken by the process, or by a plugin in an earlier folder.
void pass_over_taken(std::vector<Plugin>& all, const Registry& registry) {
    std::map<Offer, std::string_view> offered;  // by id: the path
    for (Plugin& plugin : all) {
        if (plugin.state != PluginState::not_opened) continue;
        std::optional<Error> reason;
        for (const Offer& offer : offers_of(plugin)) {
            if (!reason)
                reason = offer.is_pack ? pack_taken_by(registry, offer.id) : taken_by(registry, offer.id);
            const auto earlier = offered.find(offer);
            if (!reason && earlier != offered.end())
                reason = Error{ErrorCode::conflict,
                               fmt::format("\"{}\" is in {}, which comes first on the search path.", offer.id,
                                           printable(earlier->second)),
                               {},
                               {}};
        }
        if (reason) {
            set(plugin, PluginState::passed_over, *reason);
            continue;
        }
        for (const Offer& offer : offers_of(plugin)) offered.emplace(offer, plugin.path);
    }
}

}  // namespace

std::string_view module_with(const Registry& registry, std::string_view id) {
    if (const RegisteredBackend* backend = registry.find(id)) return backend->module;
    const auto is_twofold = [&](const RegistryFault& fault) {
        return fault.id == id && fault.rule == RegistryRule::duplicate_registration;
    };
    return std::ranges::any_of(registry.faults(), is_twofold) ? "several libraries" : "";
}

std::optional<Error> taken_by(const Registry& registry, std::string_view id) {
    const std::string_view there = module_with(registry, id);
    if (there.empty()) return std::nullopt;
    return Error{
        ErrorCode::conflict,
        fmt::format("The process has the backend \"{}\" already, from {}.", printable(id), printable(there)),
        {},
        {}};
}

std::optional<Error> pack_taken_by(const Registry& registry, std::string_view id) {
    const auto is_twofold = [&](const RegistryFault& fault) {
        return fault.id == id && fault.rule == RegistryRule::duplicate_patterns;
    };
    const RegisteredPack* pack = registry.find_pack(id);
    if (!pack && std::ranges::none_of(registry.faults(), is_twofold)) return std::nullopt;
    return Error{ErrorCode::conflict,
                 fmt::format("The process has the pack \"{}\" already, from {}.", printable(id),
                             pack ? printable(pack->module) : "several libraries"),
                 {},
                 {}};
}

void set(Plugin& plugin, PluginState state, const Error& why) {
    plugin.state = state;
    plugin.reason = Error{why.code,
                          fmt::format("The plugin {} is {}: {}", printable(plugin.path),
                                      state == PluginState::refused ? "refused" : "passed over", why.message),
                          why.fix, why.context};
}

Error refused(const std::string& path, const Error& why) {
    Plugin plugin{path, PluginState::refused, {}, {}, {}, {}};
    set(plugin, PluginState::refused, why);
    return *std::move(plugin.reason);
}

std::optional<Error> caution(const std::string& path, const std::optional<Error>& unsafe) {
    if (!unsafe) return std::nullopt;
    return Error{
        unsafe->code,
        fmt::format("The plugin {} is used because its place was named, though others may change it. {}",
                    printable(path), unsafe->message),
        unsafe->fix,
        {}};
}

Error retired(const std::string& path) {
    return {ErrorCode::refused,
            fmt::format("The plugin {} is retired: the program took it out.", printable(path)),
            "load it again (Plugins::load)",
            {}};
}

void select_usable(std::vector<Plugin>& all, const std::vector<std::size_t>& folders,
                   const Registry& registry) {
    refuse_twins(all, folders);
    pass_over_taken(all, registry);
}

const PluginBackend* find_backend(const Plugin& plugin, std::string_view id) {
    const auto found = std::ranges::find(plugin.backends, id, &PluginBackend::id);
    return found == plugin.backends.end() ? nullptr : &*found;
}

bool same_claims(const PluginBackend& one, const PluginBackend& other) {
    const auto claims = [](const PluginBackend& backend) {  // all members, so that none is forgotten
        const auto& [id, rank, dispatches, tags, hides_devices, origin] = backend;
        (void)origin;
        return std::tie(id, rank, dispatches, tags, hides_devices);
    };
    return claims(one) == claims(other);
}

}  // namespace muster::plugins
