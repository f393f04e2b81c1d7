// session_fleet.hpp - the fleet of a session that brings backends of its own. Internal to driver/.
#pragma once

#include <memory>
#include <vector>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/session/session_backend.hpp>

namespace muster {

/// Returns a fleet with these backends added; probe results of the given fleet's backends are shared. Errors:
/// invalid_argument (a null backend, or an invalid id), conflict (an id that already exists).
Result<std::shared_ptr<Fleet>> with_backends(const std::shared_ptr<Fleet>& fleet,
                                             std::vector<SessionBackend> backends);

}  // namespace muster
