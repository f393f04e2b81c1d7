// endless_exit BACKEND - a kernel that takes days: its session closes, a new one works elsewhere, and the process
// ends all the same. Vulkan and OpenCL can't stop a kernel, so it goes on until the process has ended. A new session on the same
// device works with Vulkan, where lavapipe has threads for each instance; pocl has one pool of threads for the whole process, so
// there a session is told that the device is stuck.
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

Session open(const char* backend, std::chrono::nanoseconds close_timeout) {
    return Session::open({.policy = {.backends = {{backend}}},
                          .use_environment = false,
                          .close_timeout = close_timeout})
        .value();
}

Kernel prepared(Session& session, const char* text) {
    return session.prepare(validate(wgsl::parse(text).value()).value()).value();
}

bool fails(const char* what) {
    std::printf("%s\n", what);
    return false;
}

bool quarantined(const char* backend) {
    Session session = open(backend, 100ms);
    // Not an endless one: lavapipe ends a loop by itself after some 65,000 iterations.
    const Kernel kernel = prepared(session, R"(
@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(64) fn spin() { for (var i = 0u; i < 60000u; i++) { atomicAdd(&n[0], 1u); } }
)");
    Buffer n = session.zeros<std::uint32_t>(1).value();
    const Ticket ticket = session.dispatch(kernel, {{"n", n}}, Workgroups{65535, 65535}).value();
    const Ticket waits = session.dispatch(kernel, {{"n", n}}, Workgroups{1}).value();  // after it, in a batch
    if (ticket.wait(50ms).error().code != ErrorCode::timed_out) return fails("The kernel ends.");
    if (waits.done()) return fails("What waits behind the kernel has ended.");
    session.close();
    if (n.read_all<std::uint32_t>().error().code != ErrorCode::device_lost)
        return fails("The buffer is readable.");
    if (waits.wait(1s).error().code != ErrorCode::device_lost) return fails("What waits isn't lost.");
    return true;
}

bool works(const char* backend) {
    Session session = open(backend, 5s);
    const Kernel kernel = prepared(session, R"(
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn add() { n[0] = n[0] + 1u; }
)");
    Buffer n = session.zeros<std::uint32_t>(1).value();
    const Ticket ticket = session.dispatch(kernel, {{"n", n}}, Workgroups{1}).value();
    if (!ticket.wait(60s)) return fails("The new session's kernel doesn't end.");
    return n.read_all<std::uint32_t>().value()[0] == 1 || fails("The new session computes something else.");
}

bool is_told(const char* backend) {
    Session session = open(backend, 5s);
    const auto made = session.prepare(validate(wgsl::parse(R"(
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn add() { n[0] = n[0] + 1u; }
)")
                                                   .value())
                                          .value());
    if (made) return fails("The new session uses the stuck device.");
    const std::string text = made.error().to_string();
    return text.find("a kernel that was given up in this process still runs there") != text.npos ||
           fails(text.c_str());
}

}  // namespace

int main(int, char** arguments) {
    const std::string_view backend = arguments[1];
    if (!quarantined(arguments[1]) || !works("reference")) return 1;
    if (backend == "opencl" ? !is_told(arguments[1]) : !works(arguments[1])) return 1;
    std::puts("closed, and a new session works");
}
