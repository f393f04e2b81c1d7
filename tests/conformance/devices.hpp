// devices.hpp - runs conformance cases on the devices of this machine; known gaps as data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <muster/driver/session/session.hpp>

#include "conformance/case.hpp"

namespace muster::conformance {

struct TestDevice {
    std::string id;  // "reference:0"
    std::string backend;
    DeviceInfo info;
    bool documented = true;  // in docs/support.md; a test's own variant of a backend isn't
};

/// Every device of every linked backend, or of those alone that MUSTER_TEST_BACKENDS names (ids, with commas between them).
std::vector<TestDevice> devices();

/// For a device that would rather know early which programs will come (support/builds_ahead.hpp); nothing, for others.
void build_ahead(const TestDevice& device, const std::function<std::vector<ValidProgram>()>& programs);

/// This device alone, and as long as its compiler takes: a machine may be busy.
Policy policy_for(const TestDevice& device);

/// The bindings' contents after the case ran where the session runs it.
Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program);
/// The same on the device, through a session that allows this device alone.
Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program);

/// The same by the interpreter, which is the definition.
Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed);

/// A case that a backend is known to refuse, and why: never one of which it gives a wrong result. One that it no longer
/// refuses is an error.
struct Gap {
    std::string backend;  // begins so: "vulkan", and the tests' variants of it
    std::string driver;   // on devices whose driver's name and version begin so
    std::string test;
    std::string error;  // what the refusal says
    std::string reason;
};
std::vector<Gap> known_gaps();

}  // namespace muster::conformance
