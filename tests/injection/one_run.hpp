// one_run.hpp - what a user does, from a session to a result, for tests that make each step of it fail.
#pragma once

#include <string>

#include <muster/driver/session/session.hpp>

#include "conformance/devices.hpp"

namespace muster::test {

inline constexpr float right = 12.0f;

/// Prepares a kernel, makes a buffer, dispatches, waits and reads, in this session. Returns `right`. Errors: those of each call.
Result<float> run_in(Session& session, const ValidProgram& program);
/// Likewise, in a session of its own on the device.
Result<float> run_on(const conformance::TestDevice& device, const ValidProgram& program);

Result<Session> session_on(const conformance::TestDevice& device);
ValidProgram scaling_program();

/// True if MUSTER_TEST_ALL asks for every point of failure; else tests take some, at equal distances.
bool takes_all();

}  // namespace muster::test
