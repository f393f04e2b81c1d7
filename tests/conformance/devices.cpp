#include "conformance/devices.hpp"

#include <cstdlib>
#include <span>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

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

Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program) {
    Outputs values = TRY(inputs_of(test, program));
    const Kernel kernel = TRY(session.prepare(program));
    std::vector<Buffer> buffers;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& binding = program->variable(program->bindings()[i]);
        buffers.push_back(TRY(session.buffer_from(std::as_bytes(std::span(values[i].words)))));
        arguments.emplace_back(GroupBinding{binding.group, binding.binding}, buffers.back());
    }
    const Ticket ticket = TRY(session.dispatch(kernel, arguments, test.grid));
    TRY(ticket.wait());
    for (std::size_t i = 0; i < values.size(); ++i) TRY(buffers[i].read(values[i].words));
    return values;
}

Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed) {
    Outputs values = TRY(inputs_of(test, program));
    std::vector<BoundBytes> bound;
    for (Values& value : values) bound.push_back({std::as_writable_bytes(std::span(value.words))});
    const Extent3 grid = TRY(workgroups(test.grid, program->workgroup_size()));
    TRY(interpret(program, bound, {.extent = grid, .grid = grid}, {.seed = seed}));
    return values;
}

std::vector<Gap> known_gaps() {
    const std::string reason = "llvmpipe of Mesa 22.3 ends all loops of an invocation after 65,535 turns";
    const std::string error = "The Vulkan driver ended a loop of main";
    return {{"vulkan", "llvmpipe", "control/long_loop", error, reason},
            {"vulkan", "llvmpipe", "control/long_loops_apart", error, reason}};
}

}  // namespace muster::conformance
