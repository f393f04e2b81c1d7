// devices.hpp - the devices of this machine for tests: all, or those that MUSTER_TEST_BACKENDS names; their known gaps.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/conformance/gap.hpp>
#include <muster/conformance/run_case.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::conformance {

struct TestDevice {
    std::string id;  // "reference:0"
    std::string backend;
    DeviceInfo info;
    bool documented = true;  // in docs/support.md; a test's own variant of a backend isn't
};

/// True if the list, separated by commas, names the backend: by its id, or as one of a family, "cpu-*".
bool names_backend(std::string_view list, std::string_view backend);

/// True if MUSTER_TEST_BACKENDS, such a list, names the backend, or isn't set.
bool is_wanted(std::string_view backend);

/// Every device of every linked backend that is wanted.
std::vector<TestDevice> devices();

/// Announces the next programs to a device that builds them early (support/builds_ahead.hpp); does nothing for
/// others.
void build_ahead(const TestDevice& device, const std::function<std::vector<ValidProgram>()>& programs);

/// A policy that allows this device alone, without a compile budget: the machine may be busy.
Policy policy_for(const TestDevice& device);

/// The bindings' contents after the device ran the case, in a session that allows this device alone.
Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program);

/// The gaps that are known of a backend; variants of Vulkan that tests have share its gaps.
Result<std::vector<Gap>> known_gaps(const std::string& backend);

}  // namespace muster::conformance
