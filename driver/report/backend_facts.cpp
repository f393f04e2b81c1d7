#include <muster/driver/report/backend_facts.hpp>

namespace muster::report {

std::vector<std::size_t> usable_backends(const Fleet& fleet) {
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < fleet.size(); ++i)
        if (!fleet.entry(i).fault) usable.push_back(i);
    return usable;
}

Emission emission_of(Fleet& fleet, std::size_t which) {
    Emission emission;
    const auto backend = fleet.backend(which);
    if (!backend) return emission;
    emission.formats.assign((*backend)->formats().begin(), (*backend)->formats().end());
    emission.specs.assign((*backend)->specs().begin(), (*backend)->specs().end());
    if (!emission.formats.empty())
        emission.default_target = fleet.entry(which).id + ":" + (*backend)->default_arch();
    return emission;
}

std::vector<PhysicalDevice> physical_devices_of(Fleet& fleet, std::span<const std::size_t> backends) {
    std::vector<AccessPath> paths;
    for (const std::size_t i : backends) {
        if (fleet.loaded(i) == nullptr) continue;  // in a plugin that isn't open
        for (const DeviceInfo& device : fleet.probe(i).devices) paths.push_back({fleet.entry(i).id, device});
    }
    return physical_devices(paths);
}

std::vector<std::string> ids_on_request(const FleetEntry& entry, const ProbeResult& probe) {
    std::vector<std::string> ids;
    for (const DeviceInfo& device : probe.on_request) ids.push_back(device_id(entry.id, device));
    return ids;
}

const graph::Pack* opened_pack(const ListedPack& listed) {
    if (!listed.opened) return nullptr;
    const auto pack = acquire_pack(listed.id);
    return pack ? *pack : nullptr;
}

}  // namespace muster::report
