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

/// Every device of every linked backend, or only of those that MUSTER_TEST_BACKENDS names (ids, separated by
/// commas).
std::vector<TestDevice> devices();

/// Announces the next programs to a device that builds them early (support/builds_ahead.hpp); does nothing for
/// others.
void build_ahead(const TestDevice& device, const std::function<std::vector<ValidProgram>()>& programs);

/// A policy that allows this device alone, without a compile budget: the machine may be busy.
Policy policy_for(const TestDevice& device);

/// The bindings' contents after the session ran the case.
Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program);
/// The bindings' contents after the device ran the case, in a session that allows this device alone.
Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program);

/// The bindings' contents after the interpreter ran the case: the definition.
Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed);

/// A case that a backend is known to refuse, and the reason. A wrong result is never a gap. A gap that is no
/// longer refused is an error.
struct Gap {
    std::string backend;  // prefix: "vulkan" and the tests' variants of it
    std::string driver;   // prefix of the driver's name and version
    std::string test;
    std::string error;  // part of the refusal's text
    std::string reason;
};
std::vector<Gap> known_gaps();

}  // namespace muster::conformance
