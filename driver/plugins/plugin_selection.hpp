// plugin_selection.hpp - decides which of the plugins that were found are usable: a backend that the process
// has stays, an earlier folder wins, and of two plugins with one id in one folder both are refused. Pure.
// Internal to driver/; the public interface is plugins.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster::plugins {

/// The module that has this id in the process ("several libraries" if it is registered twice); empty if the
/// id is free. Faults other than two registrations (a backend that the linker dropped, a lone precedence)
/// leave an id free for a plugin.
std::string_view module_with(const Registry& registry, std::string_view id);
/// The error for a plugin whose id the process has already; none if the id is free.
std::optional<Error> taken_by(const Registry& registry, std::string_view id);
/// The same for a pack's id.
std::optional<Error> pack_taken_by(const Registry& registry, std::string_view id);

/// Sets the state `refused` or `passed_over`, and the reason, prefixed with the plugin's path and state.
void set(Plugin& plugin, PluginState state, const Error& why);
Error refused(const std::string& path, const Error& why);
/// The warning of a plugin that others may change and that is opened all the same; none if nobody may.
std::optional<Error> caution(const std::string& path, const std::optional<Error>& unsafe);
/// The error for a plugin that retire() took out.
Error retired(const std::string& path);

/// Changes plugins that are `not_opened` but unusable to `refused` or `passed_over`. `folders`: the index of
/// each plugin's folder on the search path.
void select_usable(std::vector<Plugin>& all, const std::vector<std::size_t>& folders,
                   const Registry& registry);

const PluginBackend* find_backend(const Plugin& plugin, std::string_view id);
/// True if the records of both backends state the same properties, so that one may
/// replace the other in a route.
bool same_claims(const PluginBackend& one, const PluginBackend& other);

}  // namespace muster::plugins
