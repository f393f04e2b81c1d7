// The process's fleet: the frozen registry's backends, and its faults as unusable entries. A successor
// replaces it when the registry has a successor, or when a plugin was found, opened or refused.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/fork.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/proving/kept_probes.hpp>
#include <muster/driver/registry/freeze.hpp>

namespace muster {
namespace {

FleetEntry usable(const Registry& registry, const RegisteredBackend& backend) {
    FleetEntry entry{.id = std::string(backend.id),
                     .rank = backend.rank,
                     .dispatches = backend.dispatches,
                     .tags = words(backend.tags),
                     .supported_ops = {},
                     .factory = [&registry, id = std::string(backend.id)] { return registry.construct(id); },
                     .fault = {},
                     .module = std::string(backend.module),
                     .hides_devices = words(backend.hides_devices)};
    try {
        entry.supported_ops = backend.supported_ops();
    } catch (...) {
        entry.fault = Error{ErrorCode::unavailable,
                            fmt::format("supported_ops of {} throws.", entry.id),
                            "return a constant set: it is asked before any driver is",
                            {}};
    }
    return entry;
}

}  // namespace

std::vector<FleetEntry> fleet_entries(const Registry& registry) {
    std::vector<FleetEntry> entries;
    for (const RegisteredBackend& backend : registry.by_precedence())
        entries.push_back(usable(registry, backend));
    for (const RegistryFault& fault : registry.faults()) {
        const auto known = [&](const FleetEntry& entry) { return entry.id == fault.id; };
        if (fault.id.empty() || std::ranges::any_of(entries, known)) continue;
        FleetEntry& entry = entries.emplace_back();
        entry.id = fault.id;
        entry.fault = fault.error;
    }
    return entries;
}

namespace {

/// Merges linked and loaded backends with those of plugins: a plugin's backend replaces an
/// unusable one of the same id.
std::vector<FleetEntry> together(std::vector<FleetEntry> entries, std::vector<FleetEntry> plugins) {
    for (FleetEntry& entry : plugins) {
        const auto there = std::ranges::find(entries, entry.id, &FleetEntry::id);
        if (there == entries.end())
            entries.push_back(std::move(entry));
        else if (there->fault && !entry.fault)
            *there = std::move(entry);
    }
    return entries;
}

}  // namespace

std::shared_ptr<Fleet> process_fleet() {
    struct Newest {
        std::mutex mutex;
        const Registry* registry = nullptr;
        std::uint64_t plugins = 0;
        std::shared_ptr<Fleet> fleet;
    };
    // Never destroyed, because it outlives every static that might still open a session. A child of fork()
    // constructs and probes the backends anew.
    static auto* const all = new PerProcess<Newest>;
    Newest* const newest = &all->get();
    Plugins& plugins = Plugins::process();
    std::shared_ptr<Fleet> fleet;
    {
        const std::lock_guard lock(newest->mutex);
        const std::uint64_t generation = plugins.generation();
        if (newest->registry == &registry() && newest->plugins == generation) return newest->fleet;
        auto offered = plugins.entries();
        // The registry is read after the plugins, so that one opened meanwhile is in
        // both rather than in neither.
        const Registry& now = registry();
        auto entries = together(fleet_entries(now), std::move(offered));
        newest->fleet =
            newest->fleet
                ? std::make_shared<Fleet>(std::move(entries), *newest->fleet)
                : std::make_shared<Fleet>(std::move(entries), Fleet::default_probe_budget,
                                          probing::environment_isolation(), proving::process_device_checker(),
                                          proving::process_kept_probes());
        newest->registry = &now;
        newest->plugins = generation;
        fleet = newest->fleet;
    }
    plugins.log_refused();  // without the lock: a log sink may call process_fleet()
    return fleet;
}

}  // namespace muster
