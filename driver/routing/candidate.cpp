#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/selection.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/routing/requirements.hpp>

namespace muster {

Result<void> Candidate::supports(const Program& program, const FitOptions& options) const {
    const OpSet needed = needed_ops(program, options.compile, supported_ops, all_promised);
    if (!supported_ops.contains(needed))
        return fail(ErrorCode::unsupported,
                    fmt::format("{} doesn't support what {} uses: {}.", backend, program.entry(),
                                fmt::join(supported_ops.missing(needed), ", ")),
                    "use another backend, or write the program without");
    return muster::supports(device, program, options);
}

std::vector<Candidate> candidates(Fleet& fleet, const Policy& policy) {
    const policy::Selection selection(policy);
    const routing::Requirements requirements(policy);
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
        const FleetEntry& entry = fleet.entry(i);
        if (entry.fault || !entry.dispatches || !selection.allows(entry.id) ||
            routing::forbidding_tag(policy, entry.tags))
            continue;
        const Result<OpSet>& supported_ops = fleet.load(i);
        if (!supported_ops) continue;
        const ProbeResult& probe = fleet.probe(i);
        for (const auto* devices : {&probe.devices, &probe.on_request})
            for (const DeviceInfo& device : *devices)
                if (selection.allows(entry.id, device) && !requirements.unmet(device, device.name))
                    all.push_back({entry.id, entry.rank, entry.tags, *supported_ops, device});
    }
    return all;
}

}  // namespace muster
