#include <fmt/format.h>

#include <muster/cli/report/plugin_listing.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/support/may_run.hpp>

namespace muster::cli {
namespace {

std::string_view from(const PluginFolder& folder) {
    switch (folder.from) {
        case PluginFolder::From::environment: return "environment";
        case PluginFolder::From::installation: return "installation";
        case PluginFolder::From::executable: return "executable";
    }
    return "unknown";
}

Json to_json(const Plugin& plugin) {
    Json json{{"path", plugin.path},
              {"state", name(plugin.state)},
              {"abi", plugin.abi},
              {"backends", Json::array()},
              {"packs", Json::array()}};
    for (const PluginBackend& backend : plugin.backends)
        json["backends"].push_back({{"id", backend.id},
                                    {"rank", backend.rank},
                                    {"dispatches", backend.dispatches},
                                    {"tags", backend.tags},
                                    {"hides_devices", backend.hides_devices},
                                    {"origin", backend.origin}});
    for (const PluginPack& pack : plugin.packs)
        json["packs"].push_back({{"id", pack.id}, {"origin", pack.origin}});
    if (plugin.reason) json["error"] = cli::to_json(*plugin.reason);
    if (plugin.caution) json["warning"] = cli::to_json(*plugin.caution);
    return json;
}

}  // namespace

void print_plugins() {
    for (const Plugin& plugin : Plugins::process().list())
        for (const auto& text : {plugin.reason, plugin.caution})
            if (text) say(fmt::format("\n{}\n", text->to_string()));
    for (const PluginFolder& folder : Plugins::process().folders())
        if (folder.error) say(fmt::format("\n{}\n", folder.error->to_string()));
    for (const Error& why : code_passed_over()) say(fmt::format("\n{}\n", why.to_string()));
}

Json plugins_json() {
    Json json{{"plugins", Json::array()}, {"plugin_folders", Json::array()}};
    for (const Plugin& plugin : Plugins::process().list()) json["plugins"].push_back(to_json(plugin));
    for (const PluginFolder& folder : Plugins::process().folders()) {
        Json one{{"path", folder.path}, {"from", from(folder)}};
        if (folder.error) one["error"] = cli::to_json(*folder.error);
        json["plugin_folders"].push_back(std::move(one));
    }
    return json;
}

Json passed_over_json() {
    Json json = Json::array();
    for (const Error& why : code_passed_over()) json.push_back(cli::to_json(why));
    return json;
}

}  // namespace muster::cli
