#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

/// Opens the plugin that has a pack of this id, if nothing in the process has it and
/// plugins are searched for.
Result<void> provide_pack(std::string_view id) {
    Plugins& plugins = Plugins::process();
    if (!valid_id(id) || plugins::pack_taken_by(registry(), id) || !plugins.is_automatic()) return {};
    auto provided = plugins.provide_pack(id);
    // If no plugin has the id, the registry's error explains more.
    if (!provided && provided.error().code == ErrorCode::not_found) return {};
    return provided;
}

}  // namespace

std::vector<ListedPack> list_packs() {
    std::vector<ListedPack> packs;
    for (const RegisteredPack& pack : registered_packs())
        packs.push_back({std::string(pack.id), std::string(pack.module), true});
    for (const Plugin& plugin : Plugins::process().list()) {
        if (plugin.state != PluginState::not_opened) continue;
        for (const PluginPack& pack : plugin.packs) packs.push_back({pack.id, plugin.path, false});
    }
    std::ranges::sort(packs, {}, &ListedPack::id);
    return packs;
}

Result<const graph::Pack*> acquire_pack(std::string_view id) {
    TRY(during(fmt::format("acquiring the pack \"{}\"", printable(id)), provide_pack(id)));
    return registry().acquire_pack(id);
}

}  // namespace muster
