// candidate.hpp - (backend, device) pairs and their capabilities, queried without a dispatch.
//
//     for (const Candidate& candidate : candidates(session.fleet(), session.policy()))
//         if (candidate.supports(*program)) ...   // candidate.device.limits, .ops, .memory_bytes, .arch
//
// candidates() probes backends that weren't probed yet; nothing else here makes a native
// call. Candidates are values. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct Candidate {
    std::string backend;
    std::uint32_t rank = UINT32_MAX;
    std::vector<std::string> tags;
    OpSet supported_ops;  // of the backend; the device's own are in device.ops
    DeviceInfo device;

    std::string id() const { return device_id(backend, device); }
    /// Succeeds if the program can run here. Errors, for the first misfit: unsupported, limit_exceeded,
    /// unavailable (the device compiles nothing here, and FitOptions::has_code isn't set).
    Result<void> supports(const Program& program, const FitOptions& options = {}) const;
};

/// Every device of every backend that claims to dispatch, if the policy allows it by name, kind, memory
/// and features, in the fleet's order. Consent tags are ignored, because a query uses no device; tags that
/// the policy excludes or requires count. Opens plugins. Backends that don't answer are left out;
/// Fleet::probe has the reason.
std::vector<Candidate> candidates(Fleet& fleet, const Policy& policy = {});

MUSTER_API_END
}  // namespace muster
