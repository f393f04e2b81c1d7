// The process's fleet: the frozen registry's backends, and what is wrong with the others. A successor where the
// registry has one.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/fleet.hpp>
#include <muster/driver/freeze.hpp>
#include <muster/driver/isolation.hpp>

namespace muster {
namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found;
    while (!text.empty()) {
        const auto space = text.find(' ');
        if (space != 0) found.emplace_back(text.substr(0, space));
        if (space == std::string_view::npos) break;
        text.remove_prefix(space + 1);
    }
    return found;
}

FleetEntry usable(const Registry& registry, const RegisteredBackend& backend) {
    FleetEntry entry{.id = std::string(backend.id),
                     .rank = backend.rank,
                     .dispatches = backend.dispatches,
                     .tags = words(backend.tags),
                     .supported_ops = {},
                     .factory = [&registry, id = std::string(backend.id)] { return registry.acquire(id); },
                     .fault = {},
                     .module = std::string(backend.module)};
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

std::shared_ptr<Fleet> Fleet::process() {
    struct Newest {
        std::mutex mutex;
        const Registry* registry = nullptr;
        std::shared_ptr<Fleet> fleet;
    };
    static auto* const newest = new Newest;  // outlives every static that might still open a session
    const std::lock_guard lock(newest->mutex);
    const Registry& now = registry();
    if (newest->registry != &now) {
        newest->fleet = newest->fleet
                            ? std::make_shared<Fleet>(fleet_entries(now), *newest->fleet)
                            : std::make_shared<Fleet>(fleet_entries(now), Fleet::default_probe_budget,
                                                      environment_isolation());
        newest->registry = &now;
    }
    return newest->fleet;
}

}  // namespace muster
