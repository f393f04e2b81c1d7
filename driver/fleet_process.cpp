// The process's fleet: the frozen registry's backends, and what is wrong with the others.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/fleet.hpp>
#include <muster/driver/freeze.hpp>

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
                     .fault = {}};
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
    static const auto* const shared =
        new std::shared_ptr<Fleet>(std::make_shared<Fleet>(fleet_entries(registry())));
    return *shared;
}

}  // namespace muster
