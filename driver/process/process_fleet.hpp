// process_fleet.hpp - the fleet of this process: every backend that is linked, loaded, registered in code, or in a plugin.
// Threads: any.
#pragma once

#include <memory>
#include <vector>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster {

/// The newest fleet, shared by the sessions that begin with it.
std::shared_ptr<Fleet> process_fleet();

/// The registry's usable backends, and those of its faults that have an id, as unusable ones. Constructs
/// nothing. The registry must outlive them.
std::vector<FleetEntry> fleet_entries(const Registry& registry);

}  // namespace muster
