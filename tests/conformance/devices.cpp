#include "conformance/devices.hpp"

#include <cstdlib>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/foundation/base/try.hpp>

#include "support/builds_ahead.hpp"

namespace muster::conformance {

namespace {

/// True if MUSTER_TEST_BACKENDS names the backend, or isn't set.
bool is_wanted(const std::string& backend) {
    const char* const wanted = std::getenv("MUSTER_TEST_BACKENDS");
    return wanted == nullptr ||
           ("," + std::string(wanted) + ",").find("," + backend + ",") != std::string::npos;
}

}  // namespace

std::vector<TestDevice> devices() {
    std::vector<TestDevice> found;
    const std::shared_ptr<Fleet> fleet = process_fleet();
    for (std::size_t i = 0; i < fleet->size(); ++i) {
        const std::string& backend = fleet->entry(i).id;
        if (!is_wanted(backend)) continue;
        const bool documented = !fleet->entry(i).has_tag("test");
        for (const DeviceInfo& info : fleet->probe(i).devices) {
            found.push_back({backend + ":" + std::to_string(info.ordinal), backend, info, documented});
        }
    }
    return found;
}

void build_ahead(const TestDevice& device, const std::function<std::vector<ValidProgram>()>& programs) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    const auto backend = fleet->backend(*fleet->find(device.backend));
    if (!backend) return;
    if (auto* const builder = dynamic_cast<test::BuildsAhead*>(backend->get()))
        builder->build_ahead(programs());
}

Policy policy_for(const TestDevice& device) {
    return {.backends = {{device.id}}, .compile_budget = std::chrono::nanoseconds(0)};
}

Result<Outputs> run_on(const TestDevice& device, const Case& test, const ValidProgram& program) {
    Session session = TRY(Session::open({.policy = policy_for(device), .use_environment = false}));
    return run_in(session, test, program);
}

std::vector<Gap> known_gaps(const std::string& backend) {
    if (!backend.starts_with("vulkan")) return {};
    const Gap gap{.devices = "llvmpipe*",
                  .text = "The Vulkan driver ended a loop of main",
                  .reason = "llvmpipe of Mesa 22.3 ends all loops of an invocation after 65,535 turns"};
    std::vector<Gap> gaps(2, gap);
    gaps[0].cases = "control/long_loop";
    gaps[1].cases = "control/long_loops_apart";
    return gaps;
}

}  // namespace muster::conformance
