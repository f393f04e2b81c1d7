// The reference backend end to end, through the process's registry and a session, just by linking it.
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include <doctest/doctest.h>
#include <support/programs.hpp>

#include <muster/driver/contract/check.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

constexpr const char* saxpy_text = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&y)) { y[id.x] = a * x[id.x] + y[id.x]; }
}
)";

ValidProgram program_of(const char* text) {
    auto program = wgsl::parse(text);
    if (!program) FAIL(program.error().to_string());
    auto valid = validate(*std::move(program));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

Session open(std::chrono::nanoseconds close_timeout = 5s) {
    Policy policy;
    policy.backends = {"reference"};
    auto session =
        Session::open({.policy = policy, .use_environment = false, .close_timeout = close_timeout});
    REQUIRE(session);
    return *session;
}

Kernel prepared(Session& session, const char* text) {
    auto kernel = session.prepare(program_of(text));
    if (!kernel) FAIL(kernel.error().to_string());
    return *kernel;
}

}  // namespace

TEST_CASE("linking the backend registers it, last and for debugging") {
    const RegisteredBackend* backend = find_backend("reference");
    REQUIRE(backend);
    CHECK(backend->has_tag("debug"));
    CHECK(backend->dispatches);
    CHECK(registered_backends_by_precedence().back().id == "reference");
}

TEST_CASE("saxpy on the reference backend") {
    Session session = open();
    const Kernel kernel = prepared(session, saxpy_text);
    CHECK(kernel.backend() == "reference");
    std::vector<float> host_x(1000), host_y(1000, 1.0f);
    std::iota(host_x.begin(), host_x.end(), 0.0f);
    Buffer x = *session.buffer(host_x), y = *session.buffer(host_y);
    auto ticket = session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Invocations{1000});
    if (!ticket) FAIL(ticket.error().to_string());
    const auto timing = ticket->wait();
    if (!timing) FAIL(timing.error().to_string());
    CHECK(timing->device_ns > 0);
    const auto result = *y.read_all<float>();
    for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == 2.0f * host_x[i] + 1.0f);
}

TEST_CASE("a grid over the device's limit sees one num_workgroups and every workgroup_id") {
    Session session = open();
    const Kernel kernel = prepared(session, R"(
@group(0) @binding(0) var<storage, read_write> out: array<vec2u>;
@compute @workgroup_size(1)
fn ids(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) { out[id.x] = vec2u(id.x, count.x); }
)");
    constexpr std::uint32_t count = 70'000;  // the device takes 65,535 along an axis
    Buffer out = *session.zeros<std::array<std::uint32_t, 2>>(count);
    auto ticket = session.dispatch(kernel, {{"out", out}}, Workgroups{count});
    REQUIRE(ticket);
    REQUIRE(ticket->wait());
    const auto pairs = *out.read_all<std::array<std::uint32_t, 2>>();
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(pairs[i] == std::array{i, count});
}

TEST_CASE("submissions are asynchronous and run in order") {
    Session session = open();
    const Kernel kernel = prepared(session, saxpy_text);
    const std::vector<float> ones(1 << 16, 1.0f);
    Buffer x = *session.buffer(ones), y = *session.buffer(ones);
    for (int i = 0; i < 5; ++i)
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", y}, {"y", x}}, Invocations{ones.size()}));
    CHECK(x.read_all<float>()->back() == 6.0f);
}

TEST_CASE("a kernel that never ends times out, and closing its session returns") {
    const auto start = std::chrono::steady_clock::now();
    Session session = open(50ms);
    const Kernel kernel = prepared(session, R"(
@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(1) fn spin() { loop { if (atomicLoad(&n[0]) == 1u) { break; } } }
)");
    Buffer n = *session.zeros<std::uint32_t>(1);
    auto ticket = session.dispatch(kernel, {{"n", n}}, Workgroups{1});
    REQUIRE(ticket);
    CHECK(ticket->wait(50ms).error().code == ErrorCode::timed_out);
    std::array<std::byte, 4> word{};
    CHECK(n.read_bytes(word, 0, 20ms).error().code == ErrorCode::timed_out);
    session.close();
    CHECK(n.read_all<std::uint32_t>().error().code == ErrorCode::device_lost);
    Session fresh = open();
    const std::vector<float> ones(64, 1.0f);
    Buffer x = *fresh.buffer(ones), y = *fresh.buffer(ones);
    auto done = fresh.dispatch(prepared(fresh, saxpy_text), {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(done);
    CHECK(done->wait());
    CHECK(std::chrono::steady_clock::now() - start < 60s);
}

TEST_CASE("an abandoned device stops what runs and what waits, and takes nothing more") {
    auto device = (*acquire("reference"))->open(0);
    REQUIRE(device);
    const ValidProgram spin = program_of(R"(
@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(1) fn spin() { loop { if (atomicLoad(&n[0]) == 1u) { break; } } }
)");
    const auto executable = (*device)->load(*(*device)->compile(spin, {}));
    const auto memory = (*device)->allocate(4);
    REQUIRE((executable && memory));
    const std::array bound{BoundMemory{memory->get(), 0, 4}};
    const Launch launch{
        .executable = executable->get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}};
    const auto runs = (*device)->submit(launch), waits = (*device)->submit(launch);
    REQUIRE((runs && waits));
    const auto wait = [](const Submitted& submitted, std::chrono::nanoseconds timeout) {
        return std::get<std::shared_ptr<Submission>>(submitted)->wait(timeout);
    };
    CHECK(wait(*runs, 20ms).error().code == ErrorCode::timed_out);
    (*device)->abandon();
    CHECK(wait(*runs, 60s).error().code == ErrorCode::device_lost);
    CHECK(wait(*waits, 60s).error().code == ErrorCode::device_lost);
    CHECK((*device)->submit(launch).error().code == ErrorCode::device_lost);
}

TEST_CASE("it emits the program's own text, which means the same") {
    Session session = open();
    const auto program = program_of(saxpy_text);
    const auto artifact = session.emit(program);
    REQUIRE(artifact);
    CHECK(artifact->target == "reference:wgsl");
    CHECK(artifact->format == "wgsl");
    CHECK(artifact->bindings.size() == 3);
    CHECK(artifact->fingerprint == program->fingerprint());
    const std::string text(artifact->text());
    CHECK(program_of(text.c_str())->fingerprint() == program->fingerprint());
    CHECK(session.emit(program, {.arch = "reference:ptx"}).error().code == ErrorCode::refused);
}

TEST_CASE("an artifact loads from its bytes alone") {
    auto backend = acquire("reference");
    REQUIRE(backend);
    const auto target = (*backend)->describe("wgsl");
    const auto artifact = (*backend)->emit(program_of(saxpy_text), *target, {});
    REQUIRE(artifact);
    CHECK_FALSE(artifact->in_process);
    auto device = (*backend)->open(0);
    REQUIRE(device);
    CHECK((*device)->load(*artifact));
    CHECK((*backend)->open(1).error().code == ErrorCode::not_found);
}

TEST_CASE("memory that the system hasn't is an error with its story") {
    Session session = open();
    const Kernel kernel = prepared(session, saxpy_text);
    Buffer x = *session.zeros<float>(64), y = *session.zeros<float>(64);
    const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
        if (call != "calloc") return std::nullopt;
        return Error{ErrorCode::out_of_memory, "Planted.", {}, {}};
    });
    const auto failed = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::out_of_memory);
    const std::string text = failed.error().to_string();  // of the buffer that was moved first
    CHECK(text.starts_with(
        "Planted.\n  while calling calloc\n  while allocating 256 bytes\n  while using reference:0\n"
        "  while moving the buffer of \""));
    CHECK(text.ends_with("\" to reference:0\n  while dispatching saxpy on reference:0"));
}

TEST_CASE("more memory than there is is refused, not taken") {
    Session session = open();
    const auto huge = session.buffer(std::uint64_t{1} << 60, Scalar::f32);
    REQUIRE_FALSE(huge);
    CHECK(huge.error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("mathematics gives the definition's bits, in fast mode too") {
    Session session = open();
    const auto program = test::map_unary(Op::exp);
    for (const Precision precision : {Precision::exact, Precision::fast}) {
        auto kernel = session.prepare(program, {.precision = precision});
        if (!kernel) FAIL(kernel.error().to_string());
        CHECK(kernel->artifact().fingerprint == program->fingerprint());
        const std::vector<float> host{0.0f, 1.0f, -2.5f, 10.0f};
        Buffer data = *session.buffer(host);
        auto ticket = session.dispatch(*kernel, {{"data", data}}, Invocations{host.size()});
        REQUIRE(ticket);
        const auto result = *data.read_all<float>();
        for (std::size_t i = 0; i < host.size(); ++i) CHECK(result[i] == math::evaluate(Op::exp, host[i]));
    }
}

TEST_CASE("sessions in many threads") {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            Session session = open();
            const Kernel kernel = prepared(session, saxpy_text);
            const std::vector<float> ones(500, 1.0f);
            for (int i = 0; i < 5; ++i) {
                Buffer x = *session.buffer(ones), y = *session.buffer(ones);
                auto ticket = session.dispatch(kernel, {{"a", 3.0f}, {"x", x}, {"y", y}}, Invocations{500});
                REQUIRE(ticket);
                CHECK(*y.read_all<float>() == std::vector<float>(500, 4.0f));
            }
        });
}
