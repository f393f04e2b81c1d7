// process_fleet.hpp - the fleet of this process: every backend that is linked, loaded, registered in code, or
// in a plugin. Threads: any.
#pragma once

#include <memory>
#include <vector>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The newest fleet, shared by all sessions that are opened with it.
std::shared_ptr<Fleet> process_fleet();

/// The registry's usable backends, and an unusable entry for each other id that has a fault. Constructs
/// nothing. The registry must outlive the entries.
std::vector<FleetEntry> fleet_entries(const Registry& registry);

MUSTER_API_END
}  // namespace muster
