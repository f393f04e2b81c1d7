// plugin_judging.hpp - which of the plugins that were found are taken: what the process has stays, an earlier folder comes
// first, and of two in one folder neither is. Pure but for the registry that it is given. Internal to driver/; plugins.hpp is
// the door.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster {

/// From where the process has a backend of this id; empty: from nowhere. Other faults than two registrations (a
/// backend that the linker dropped, a precedence alone) leave an id free for a plugin.
std::string_view holder(const Registry& registry, std::string_view id);
/// The error of who would bring it nevertheless.
std::optional<Error> taken_by(const Registry& registry, std::string_view id);

/// With a reason that begins with which plugin is what.
void set(Plugin& plugin, PluginState state, const Error& why);
Error refused(const std::string& path, const Error& why);
/// Of a plugin that retire() took out.
Error retired(const std::string& path);

/// Those that are `not_opened` and can't be taken become `refused` or `passed_over`. `folders`: where each of them is on the
/// search path.
void judge(std::vector<Plugin>& all, const std::vector<std::size_t>& folders, const Registry& registry);

const PluginBackend* find_backend(const Plugin& plugin, std::string_view id);
/// Whether whoever chose the one by what its file says may have the other.
bool says_the_same(const PluginBackend& one, const PluginBackend& other);

}  // namespace muster
