#include "injection/one_run.hpp"

#include <cstdlib>
#include <vector>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::test {
namespace {

constexpr const char* scaling = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn scale(@builtin(global_invocation_id) id: vec3u) { y[id.x] *= a; }
)";

}  // namespace

ValidProgram scaling_program() { return validate(wgsl::parse(scaling).value()).value(); }

Result<Session> session_on(const conformance::TestDevice& device) {
    return Session::open({.policy = conformance::policy_for(device), .use_environment = false});
}

Result<float> run_in(Session& session, const ValidProgram& program) {
    const Kernel kernel = TRY(session.prepare(program));
    const Buffer y = TRY(session.buffer(std::vector<float>{1, 2, 3, 4}));
    const Ticket ticket = TRY(session.dispatch(kernel, {{"a", 3.0f}, {"y", y}}, Workgroups{1}));
    TRY(ticket.wait());
    return TRY(y.read_all<float>()).at(3);
}

Result<float> run_on(const conformance::TestDevice& device, const ValidProgram& program) {
    Session session = TRY(session_on(device));
    return run_in(session, program);
}

bool takes_all() { return std::getenv("MUSTER_TEST_ALL") != nullptr; }

}  // namespace muster::test
