// endless_exit - a program whose kernel never ends, compiled and dispatched like any other: a wait for it times
// out, its device is quarantined, new sessions work, and the program ends itself. Exit status 0, within
// seconds.
#include <chrono>
#include <cstdio>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

constexpr const char* text = R"(
@group(0) @binding(0) var<storage, read_write> stop: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> turns: array<u32>;
@compute @workgroup_size(8) fn endless(@builtin(global_invocation_id) id: vec3u) {
    while (atomicLoad(&stop) == 0u) { turns[id.x] += 1u; }
})";

SessionOptions cpu_only() {
    return {.policy = {.backends = {{"cpu"}}}, .use_environment = false, .close_timeout = 100ms};
}

/// Runs the kernel in a session on the CPU, with this value in `stop`.
Result<Timing> run(std::uint32_t stop, std::chrono::nanoseconds timeout) {
    const auto program = validate(wgsl::parse(text).value()).value();
    Session session = Session::open(cpu_only()).value();
    const Kernel kernel = session.prepare(program).value();
    const Buffer flag = session.buffer(std::vector<std::uint32_t>{stop}).value();
    const Buffer turns = session.buffer(std::vector<std::uint32_t>(800)).value();
    const Ticket ticket =
        session.dispatch(kernel, {{"stop", flag}, {"turns", turns}}, Workgroups{100}).value();
    return ticket.wait(timeout);
}

int failed(const char* what) {
    std::fprintf(stderr, "endless_exit: %s\n", what);
    return 1;
}

}  // namespace

int main() {
    const Result<Timing> endless = run(0, 50ms);
    if (endless) return failed("a kernel that never ends has ended.");
    if (endless.error().code != ErrorCode::timed_out) return failed("the wait didn't time out.");
    if (!run(1, 30s)) return failed("a new session doesn't work.");
    return 0;
}
