// session_fleet.hpp - the fleet of a session that brings backends of its own. Internal to driver/.
#pragma once

#include <memory>
#include <vector>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/session/session_backend.hpp>

namespace muster {

/// The fleet and these; what is known of the fleet's backends is shared. Errors: invalid_argument (null, or an id that can't
/// be one), conflict (an id that there is).
Result<std::shared_ptr<Fleet>> with_backends(const std::shared_ptr<Fleet>& fleet,
                                             std::vector<SessionBackend> backends);

}  // namespace muster
