// candidate.hpp - (backend, device) pairs, and what each of them can do: capability queries without a
// dispatch.
//
//     for (const Candidate& candidate : candidates(session.fleet(), session.policy()))
//         if (candidate.supports(*program)) ...   // candidate.device.limits, .ops, .memory_bytes, .arch
//
// Asking for the candidates probes backends that weren't probed yet; after that nothing here makes a native
// call. Candidates are values. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/fit.hpp>

namespace muster {

struct Candidate {
    std::string backend;
    std::uint32_t rank = UINT32_MAX;
    std::vector<std::string> tags;
    OpSet supported_ops;  // of the backend; the device's own are among its properties
    DeviceInfo device;

    std::string id() const { return backend + ":" + std::to_string(device.ordinal); }
    /// Whether the program would run here. Errors: unsupported or limit_exceeded: the first thing that
    /// doesn't fit.
    Result<void> supports(const Program& program, const FitOptions& options = {}) const;
};

/// Every device of every backend that claims to dispatch and that the policy allows by name, kind, memory and features,
/// in the fleet's order. Consent tags don't count, asking is no use; tags that the policy
/// excludes or requires do. Plugins are opened. Backends that don't answer are left out;
/// Fleet::probe has why.
std::vector<Candidate> candidates(Fleet& fleet, const Policy& policy = {});

}  // namespace muster
