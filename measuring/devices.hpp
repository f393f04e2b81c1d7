// devices.hpp - the devices that are measured, and their sessions. Internal to measuring/.
#pragma once

#include <vector>

#include <muster/driver/routing/candidate.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::bench {

/// The devices that the session's policy names, else the first of each backend that needs no
/// consent. Errors: refused (none).
Result<std::vector<Candidate>> devices_of(Session& session);

/// A session on one device alone.
Result<Session> session_on(const Options& options, const Candidate& device);

/// `refused` if a device doesn't take a kernel, `failed` if it fails at it.
Outcome outcome_of(const Error& error);

}  // namespace muster::bench
