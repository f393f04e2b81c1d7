#include <algorithm>

#include <muster/driver/probing/physical_devices.hpp>

namespace muster {

std::vector<PhysicalDevice> physical_devices(std::span<const AccessPath> paths) {
    std::vector<PhysicalDevice> all;
    for (const AccessPath& path : paths) {
        const auto known = path.device.uuid == Uuid{}
                               ? all.end()
                               : std::ranges::find(all, path.device.uuid, &PhysicalDevice::uuid);
        if (known == all.end())
            all.push_back({path.device.name, path.device.uuid, {path.id()}});
        else
            known->paths.push_back(path.id());
    }
    return all;
}

}  // namespace muster
