// choose_pack.hpp - the pack of patterns that models of a session are compiled with.
// Internal to graph/ and the tool.
#pragma once

#include <span>
#include <string>

#include <muster/driver/session/session.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

/// The pack that the session's policy and the mode choose (select_pack()) for devices of these
/// backends; without any, for the device that runs kernels here. Several backends for which it isn't
/// the same have the portable pack. A plugin is opened only if its pack can be chosen. Errors: those of
/// select_pack(), and of acquire_pack().
Result<const Pack*> choose_pack(Session session, const CompileOptions& options,
                                std::span<const std::string> backends = {});

}  // namespace muster::graph
