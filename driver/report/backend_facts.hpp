// backend_facts.hpp - what lists of backends tell beside the records: for programs as JSON
// (driver/report/report.hpp), for people as the tool's text. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/physical_devices.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::report {
MUSTER_API_BEGIN

/// The fleet's backends but those with invalid records, which are listed as faults.
std::vector<std::size_t> usable_backends(const Fleet& fleet);

/// A backend's emission options; empty if the backend can't be constructed.
struct Emission {
    std::string default_target;
    std::vector<std::string> formats;
    std::vector<SpecInfo> specs;
};
Emission emission_of(Fleet& fleet, std::size_t backend);

/// The devices of these backends, grouped; probes the backends, but none in a plugin that isn't open.
std::vector<PhysicalDevice> physical_devices_of(Fleet& fleet, std::span<const std::size_t> backends);

/// The ids of the devices that are used only where they are named.
std::vector<std::string> ids_on_request(const FleetEntry& entry, const ProbeResult& probe);

/// The pack, if its library is open and its function gives it, else null.
const graph::Pack* opened_pack(const ListedPack& listed);

MUSTER_API_END
}  // namespace muster::report
