#include <algorithm>

#include <muster/conformance/report.hpp>
#include <muster/foundation/base/enum_name.hpp>

namespace muster::conformance {

std::string_view name(CaseOutcome outcome) { return enum_name(outcome); }

std::string_view name(Fault fault) { return enum_name(fault); }

std::size_t DeviceReport::count(CaseOutcome outcome) const {
    return static_cast<std::size_t>(std::ranges::count(cases, outcome, &CaseResult::outcome));
}

std::vector<Behaviour> DeviceReport::behaviours() const {
    std::vector<Behaviour> all;
    for (const CaseResult& one : cases) {
        const bool is_own = one.name.ends_with(".wgsl");  // a user's file, anywhere
        const std::string folder = is_own ? "own" : one.name.substr(0, one.name.find('/'));
        if (std::ranges::find(all, folder, &Behaviour::name) == all.end()) all.push_back({.name = folder});
        Behaviour& row = *std::ranges::find(all, folder, &Behaviour::name);
        ++row.cases;
        switch (one.outcome) {
            case CaseOutcome::passed: ++row.passed; break;
            case CaseOutcome::beyond_limits: ++row.beyond_limits; break;
            case CaseOutcome::known_gap: ++row.known_gaps; break;
            case CaseOutcome::closed_gap:
            case CaseOutcome::failed: ++row.failed; break;
        }
    }
    return all;
}

bool DeviceReport::conforms() const {
    return count(CaseOutcome::failed) == 0 && count(CaseOutcome::closed_gap) == 0;
}

bool Report::conforms() const {
    return left_out == 0 && std::ranges::all_of(devices, &DeviceReport::conforms);
}

}  // namespace muster::conformance
