// Backends, plugins and packs.
#include <span>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/report/backend_facts.hpp>
#include <muster/driver/report/report.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::report {
namespace {

Json physical_json(std::span<const PhysicalDevice> devices) {
    Json json = Json::array();
    for (const PhysicalDevice& device : devices) {
        Json& one = json.push_back({{"name", device.name}, {"paths", device.paths}});
        if (device.uuid != Uuid{}) one["uuid"] = to_string(device.uuid);
    }
    return json;
}

Json pack_json(const ListedPack& listed) {
    Json json{{"id", listed.id}, {"module", listed.module}, {"opened", listed.opened}};
    const graph::Pack* pack = opened_pack(listed);
    if (pack == nullptr) return json;
    json["purpose"] = pack->purpose;
    json["backends"] = Json::array();
    for (const std::string_view backend : pack->backends) json["backends"].push_back(backend);
    return json;
}

std::string_view from(const PluginFolder& folder) {
    switch (folder.from) {
        case PluginFolder::From::environment: return "environment";
        case PluginFolder::From::installation: return "installation";
        case PluginFolder::From::executable: return "executable";
    }
    return "unknown";
}

}  // namespace

Json of(const Plugin& plugin) {
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
    if (plugin.reason) json["error"] = of(*plugin.reason);
    if (plugin.caution) json["warning"] = of(*plugin.caution);
    return json;
}

Json of(Fleet& fleet, std::size_t which) {
    const FleetEntry& entry = fleet.entry(which);
    Json json{{"id", entry.id}, {"rank", entry.rank}, {"tags", entry.tags}, {"dispatches", entry.dispatches}};
    json["module"] = entry.module;
    json["opened"] = fleet.loaded(which) != nullptr;
    if (fleet.loaded(which) == nullptr) return json;
    const ProbeResult& probe = fleet.probe(which);
    json["probe"] = {{"state", name(probe.state)}, {"took_ns", probe.took.count()}};
    if (probe.state != ProbeState::answered) json["probe"]["error"] = of(probe.error);
    json["hidden_by"] = variables_set(entry.hides_devices);
    json["devices"] = Json::array();
    for (const DeviceInfo& device : probe.devices) {
        Json& one = json["devices"].push_back(of(device));
        if (const auto check = fleet.known_check(which, device)) one["check"] = of(*check);
    }
    json["on_request"] = ids_on_request(entry, probe);
    const Emission emission = emission_of(fleet, which);
    Json specs = Json::array();
    for (const SpecInfo& spec : emission.specs)
        specs.push_back({{"key", spec.key}, {"help", spec.help}, {"runs", spec.runs}});
    json["emits"] = {
        {"formats", emission.formats}, {"default_target", emission.default_target}, {"specs", specs}};
    return json;
}

Json of_backends(const std::shared_ptr<Fleet>& fleet) {
    const std::vector<std::size_t> usable = usable_backends(*fleet);
    Json json{{"plugins", Json::array()}, {"plugin_folders", Json::array()}};
    for (const Plugin& plugin : Plugins::process().list()) json["plugins"].push_back(of(plugin));
    for (const PluginFolder& folder : Plugins::process().folders()) {
        Json& one = json["plugin_folders"].push_back({{"path", folder.path}, {"from", from(folder)}});
        if (folder.error) one["error"] = of(*folder.error);
    }
    json["backends"] = Json::array();
    for (const std::size_t i : usable) json["backends"].push_back(of(*fleet, i));
    json["physical_devices"] = physical_json(physical_devices_of(*fleet, usable));
    json["faults"] = Json::array();
    for (const RegistryFault& fault : registry().faults())
        json["faults"].push_back({{"rule", name(fault.rule)}, {"id", fault.id}, {"error", of(fault.error)}});
    json["packs"] = Json::array();
    for (const ListedPack& pack : list_packs()) json["packs"].push_back(pack_json(pack));
    json["passed_over"] = Json::array();
    for (const Error& why : platform::code_passed_over()) json["passed_over"].push_back(of(why));
    return json;
}

}  // namespace muster::report
