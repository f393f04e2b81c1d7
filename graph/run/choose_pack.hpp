// choose_pack.hpp - the pack of patterns that models of a session are compiled with. Internal to graph/ and the tool.
#pragma once

#include <muster/driver/session/session.hpp>
#include <muster/foundation/graph/pack/pack.hpp>

namespace muster::graph {

/// The pack that the session's policy and the mode choose for the device that runs kernels here (select_pack()). A plugin is opened
/// only if its pack can be chosen. Errors: those of select_pack(), and of acquire_pack().
Result<const Pack*> choose_pack(Session session, const CompileOptions& options);

}  // namespace muster::graph
