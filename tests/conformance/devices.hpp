// devices.hpp - runs conformance cases on the devices of this machine; known gaps as data.
#pragma once

#include <string>
#include <vector>

#include <muster/driver/session.hpp>

#include "conformance/case.hpp"

namespace muster::conformance {

struct TestDevice {
    std::string id;  // "reference:0"
    std::string backend;
    DeviceInfo info;
    bool documented = true;  // in docs/support.md; a test's own variant of a backend isn't
};

/// Every device of every linked backend.
std::vector<TestDevice> devices();

/// The bindings' contents after the case ran on the device, through a session that allows this backend alone.
Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program);

/// The same by the interpreter, which is the definition.
Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed);

/// A case that a backend is known to fail, and why. One that no longer fails is an error.
struct Gap {
    std::string backend, test, reason;
};
std::vector<Gap> known_gaps();

}  // namespace muster::conformance
