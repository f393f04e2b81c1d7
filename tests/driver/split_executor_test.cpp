// Programs with grid barriers on devices without them: their parts run one after another, and failures between
// the parts.
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>
#include <support/text.hpp>

#include <muster/driver/grid_barriers/split_executor.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;
using Words = std::vector<std::uint32_t>;

namespace {

constexpr std::uint32_t count = 64;  // invocations: 8 workgroups of 8

ValidProgram program(const std::string& body, const std::string& before = {}) {
    auto parsed = wgsl::parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@group(0) @binding(2) var<uniform> n: u32;\n" +
        before +
        "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>, "
        "@builtin(workgroup_id) w: vec3<u32>) {\n"
        "let i = id.x;\n" +
        body + "}\n");
    if (!parsed) FAIL(parsed.error().to_string());
    auto valid = validate(*std::move(parsed));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

/// A program of two parts that reverses `a` and adds `b`, `n` times.
ValidProgram turned() {
    return program(
        "for (var k = 0u; k < n; k++) { let x = a[63u - i]; gridBarrier(); a[i] = x + b[i]; gridBarrier(); "
        "}");
}

/// A program of five parts.
ValidProgram five() {
    return program(
        "let x = a[i] + n; gridBarrier(); a[i] = x; gridBarrier(); b[i] += a[63u - i]; gridBarrier(); a[i] "
        "+= 1u; "
        "gridBarrier(); b[i] += a[63u - i];");
}

/// A program that loops until its running sum, which the host reads, is at least 6.
ValidProgram until_six() {
    return program(
        "loop { if (i == 0u) { b[0] += n; } gridBarrier(); let sum = gridUniformLoad(&b[0]); if (sum >= 6u) "
        "{ break; } a[i] += sum; gridBarrier(); }");
}

struct ExecutorFixture {
    DeviceScriptPointer device = std::make_shared<DeviceScript>();
    Words host = Words(count);

    ExecutorFixture() {
        for (std::uint32_t i = 0; i < count; ++i) host[i] = i;
    }
    ~ExecutorFixture() { device->gate.open(); }

    static Kernel prepared(Session& session, const ValidProgram& program) {
        auto kernel = session.prepare(program);
        if (!kernel) FAIL(kernel.error().to_string());
        return *kernel;
    }
    Words expected_turned(std::uint32_t turns) const {
        Words words(count);
        for (std::uint32_t i = 0; i < count; ++i) words[i] = turns % 2 == 0 ? i : count - 1 - i;
        return words;
    }
};

}  // namespace

TEST_CASE_FIXTURE(ExecutorFixture,
                  "parts run in order, each over the whole grid in the pieces that the device takes") {
    device->info.limits.max_workgroups = {3, 1, 1};
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 3u}}, Invocations{count});
    REQUIRE(ticket);
    REQUIRE(ticket->wait());
    CHECK(*a.read_all<std::uint32_t>() == expected_turned(3));
    REQUIRE(device->ran.size() == 3 * 2 * 3);
    for (std::size_t i = 0; i < device->ran.size(); ++i) {
        CHECK(device->ran[i] == (i / 3 % 2 == 0 ? "main_part_1" : "main_part_2"));
        CHECK(device->origins[i].x == i % 3 * 3);
    }
    CHECK(ticket->wait()->device_ns == 18);
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "no turn at all is no submission, and work that ends at once ends at once") {
    device->ends_at_once = true;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    for (const std::uint32_t turns : {0u, 1u}) {
        const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", turns}}, Invocations{count});
        REQUIRE(ticket);
        CHECK(ticket->done());
        CHECK(device->submits == static_cast<int>(2 * turns));
    }
    CHECK(*a.read_all<std::uint32_t>() == expected_turned(1));
}

TEST_CASE_FIXTURE(ExecutorFixture, "parts are compiled once, and the scratch is used again") {
    Session session = interpreting_session({device});
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    for (int i = 0; i < 10; ++i) {
        const Kernel kernel = prepared(session, turned());
        REQUIRE(session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count})->wait());
    }
    CHECK(device->allocations == 3);  // a, b and the scratch
    CHECK(device->compiles == 3);     // two parts, and the kernel that does nothing
    CHECK(device->reads == 0);
}

TEST_CASE_FIXTURE(ExecutorFixture, "a long loop goes on by itself") {
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1001u}}, Invocations{count});
    REQUIRE(ticket->wait());
    CHECK(device->submits == 2002);
    CHECK(*a.read_all<std::uint32_t>() == expected_turned(1001));
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "where the host must wait, dispatch doesn't, and what comes later waits its turn") {
    device->hangs_at = 1;
    Session session = interpreting_session({device});
    const Kernel waits = prepared(session, until_six()), after = prepared(session, turned()),
                 plain = prepared(session, program("a[i] *= 2u; _ = n; _ = b[0];"));
    Buffer a = *session.zeros<std::uint32_t>(count), b = *session.zeros<std::uint32_t>(count);
    const auto arguments = {Argument{"a", a}, Argument{"b", b}, Argument{"n", 2u}};
    const auto first = session.dispatch(waits, arguments, Invocations{count});
    const auto second = session.dispatch(after, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count});
    const auto third = session.dispatch(plain, {{"a", a}}, Invocations{count});
    REQUIRE((first && second && third));
    CHECK_FALSE(first->done());
    CHECK_FALSE(second->done());
    CHECK_FALSE(third->done());
    CHECK(first->wait(30ms).error().code == ErrorCode::timed_out);
    CHECK(third->wait(30ms).error().code == ErrorCode::timed_out);
    device->gate.open();
    REQUIRE(third->wait());
    CHECK(first->done());
    CHECK(second->done());
    Words expected(count, (2 + 4) * 2);  // then b is added: 6 at index 0
    expected[0] += 6 * 2;
    CHECK(*a.read_all<std::uint32_t>() == expected);
    CHECK(device->ran.back() == "main");
}

TEST_CASE_FIXTURE(ExecutorFixture, "a uniform in a buffer is read back once, a value isn't") {
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count), n = *session.buffer(Words{5});
    REQUIRE(session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", n}}, Invocations{count})->wait());
    CHECK(device->reads == 1);
    CHECK(*a.read_all<std::uint32_t>() == expected_turned(5));
    CHECK(device->ran.front() == "muster_nothing");  // earlier work has ended
}

TEST_CASE_FIXTURE(ExecutorFixture, "a timeout in the third of five parts says so; the session lives") {
    auto other = std::make_shared<DeviceScript>();
    other->id = "other";
    other->rank = 2;
    device->hangs_at = 3;
    Session session = interpreting_session({device, other});
    const Kernel kernel = prepared(session, five());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count});
    REQUIRE(ticket);
    const auto late = ticket->wait(30ms);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::timed_out);
    CHECK(mentions(late.error(), "part 3 of the 5 that main is split into"));
    ticket->abandon();
    CHECK(device->abandons == 1);
    CHECK(ticket->wait(1s).error().code == ErrorCode::device_lost);
    const Kernel again = prepared(session, five());
    CHECK(again.backend() == "other");
    Buffer c = *session.buffer(host), d = *session.zeros<std::uint32_t>(count);
    CHECK(session.dispatch(again, {{"a", c}, {"b", d}, {"n", 1u}}, Invocations{count})->wait());
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "a device that is given up while the host waits for it stops the waiting") {
    device->hangs_at = 2;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, until_six());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto arguments = {Argument{"a", a}, Argument{"b", b}, Argument{"n", 1u}};
    const auto first = session.dispatch(kernel, arguments, Invocations{count});
    const auto second = session.dispatch(kernel, arguments, Invocations{count});
    REQUIRE((first && second));
    const auto late = first->wait(50ms);
    REQUIRE_FALSE(late);
    CHECK(mentions(late.error(), "part 2 of the 2"));
    session.close();
    CHECK(first->wait(5s).error().code == ErrorCode::device_lost);
    CHECK(second->wait(5s).error().code == ErrorCode::device_lost);
    CHECK(a.read_all<std::uint32_t>().error().code == ErrorCode::device_lost);
}

TEST_CASE_FIXTURE(ExecutorFixture, "a loop without parts doesn't keep the one who dispatches") {
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, program("for (var k = 0u; k < n; k++) { gridBarrier(); } a[i] = "
                                                    "b[i] + 7u;"));
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 2'000'000u}}, Invocations{count});
    REQUIRE(ticket);
    CHECK_FALSE(ticket->done());
    CHECK(ticket->wait(1ms).error().code == ErrorCode::timed_out);
    REQUIRE(ticket->wait());
    CHECK(*a.read_all<std::uint32_t>() == Words(count, 7));
}

TEST_CASE_FIXTURE(ExecutorFixture, "transfers stay behind a split program that isn't submitted as a whole") {
    device->transfers = true;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, program("for (var k = 0u; k < n; k++) { gridBarrier(); } a[i] = "
                                                    "b[i] + 7u;"));
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count), c = *session.buffer(host);
    REQUIRE(session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 2'000'000u}}, Invocations{count}));
    const auto copied = session.copy({a}, {c}), filled = session.fill({a}, 1);
    REQUIRE(copied);
    REQUIRE(filled);
    CHECK_FALSE(copied->done());
    REQUIRE(filled->wait());
    CHECK(copied->done());
    CHECK(*c.read_all<std::uint32_t>() == Words(count, 7));
    CHECK(*a.read_all<std::uint32_t>() == Words(count, 1));
    CHECK(device->ran.back() == "fill");
}

namespace {

/// A program submitted to a device without a session, with zeros in a and b and a value for n.
struct Bare {
    DeviceScriptPointer script;
    std::unique_ptr<Device> device = std::make_unique<InterpretingDevice>(script);
    std::unique_ptr<grid_barriers::SplitExecutor> executor =
        std::make_unique<grid_barriers::SplitExecutor>(*device);
    std::unique_ptr<grid_barriers::SplitExecutable> executable = {};
    std::unique_ptr<Memory> a = *device->allocate(count * 4), b = *device->allocate(count * 4);

    Result<Submitted> submit(const ValidProgram& program, std::uint32_t n) {
        executable = *executor->load(*executor->compile(program, {}));
        std::vector<BoundMemory> bound;
        for (const VariableId id : program->bindings()) switch (program->variable(id).binding) {
                case 0: bound.push_back({.memory = a.get(), .bytes = a->bytes()}); break;
                case 1: bound.push_back({.memory = b.get(), .bytes = b->bytes()}); break;
                default:
                    bound.push_back({.bytes = 4, .value = reinterpret_cast<const std::byte*>(&n)});
                    break;
            }
        return executor->submit(*executable,
                                {.bindings = bound, .extent = {count / 8, 1, 1}, .grid = {count / 8, 1, 1}});
    }
};

}  // namespace

TEST_CASE_FIXTURE(ExecutorFixture, "what is given up lets go of the device, whatever its loop does") {
    std::string body;
    SUBCASE("nothing") { body = "for (var k = 0u; k < n; k++) { gridBarrier(); k = 0u; } a[i] = b[i];"; }
    SUBCASE("reads") {
        body = "loop { gridBarrier(); if (gridUniformLoad(&b[0]) == n) { break; } } a[i] = b[i];";
    }
    SUBCASE("submits") {
        body =
            "loop { a[i] += 1u; gridBarrier(); if (gridUniformLoad(&b[0]) == n) { break; } gridBarrier(); }";
    }
    SUBCASE("fetches") {
        body =
            "var t: array<u32, 2>; t[0] = n; loop { a[i] += 1u; gridBarrier(); if (t[0] == 0u) { break; } "
            "t[0] += 1u; } b[i] = 1u;";
    }
    Bare bare{device};
    const auto submitted = bare.submit(program(body), 9);
    REQUIRE(submitted);
    const auto work = std::get<std::shared_ptr<Submission>>(*submitted);
    CHECK(work->wait(20ms).error().code == ErrorCode::timed_out);
    bare.executor->abandon();
    bare.device->abandon();
    const auto end = work->wait(5s);
    const bool has_ended = !end && end.error().code == ErrorCode::device_lost;
    const auto calls = [&] { return device->reads + device->writes + device->submits; };
    const int then = calls();
    CHECK(has_ended);
    if (has_ended) {
        bare.executor.reset();  // waits for its thread
    } else {
        static_cast<void>(bare.executor.release());
        static_cast<void>(bare.device.release());
    }
    CHECK(calls() == then);
}

TEST_CASE_FIXTURE(ExecutorFixture, "a device that is lost between parts is told with the part") {
    SUBCASE("when the part is submitted") { device->lost_when_submitted = 3; }
    SUBCASE("when it runs") { device->lost_at = 3; }
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, five());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count});
    const auto end = ticket ? ticket->wait(5s) : Result<Timing>(std::unexpected(ticket.error()));
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
    CHECK(mentions(end.error(), "part 3 of the 5"));
    CHECK(device->submits == (device->lost_at != 0 ? 5 : 3));
    CHECK(session.prepare(five()).error().code == ErrorCode::refused);
}

TEST_CASE_FIXTURE(ExecutorFixture, "a device that is lost while the host waits is told with the part") {
    device->lost_at = 3;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, until_six());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto ticket = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count});
    const auto end = ticket ? ticket->wait(5s) : Result<Timing>(std::unexpected(ticket.error()));
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
    CHECK(mentions(end.error(), "part 1 of the 2"));
    CHECK(device->submits == 3);
}

TEST_CASE_FIXTURE(ExecutorFixture, "a grid too large for the scratch is refused with both numbers") {
    device->info.limits.max_storage_binding_bytes = 1024;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto refused = session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{1000});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    // A word for each of 1000 invocations, and 64 bytes.
    CHECK(mentions(refused.error(), "4064 bytes of scratch"));
    CHECK(mentions(refused.error(), "more than the 1024"));
    CHECK(device->submits == 0);
    CHECK(session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Invocations{count})->wait());
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "a grid whose scratch takes more than 64 bits to count is refused with both numbers") {
    device->info.limits.max_storage_binding_bytes = 4096;
    device->lost_when_submitted = 1;
    Session session = interpreting_session({device});
    const Kernel kernel =
        prepared(session, program("let x = a[i]; let y = b[i]; gridBarrier(); a[i] = y + n; b[i] = x;"));
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto refused =
        session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, Workgroups{1u << 28, 1u << 30});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(mentions(refused.error(), "2^64 or more bytes of scratch"));
    CHECK(mentions(refused.error(), "more than the 4096"));
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "a program that has no binding left for the scratch is refused with the numbers") {
    device->info.limits.max_storage_bindings = 2;
    Session session = interpreting_session({device});
    const Route route = session.route(turned());
    REQUIRE(route.refused());
    CHECK(mentions(route.refused()->error, "needs 3 storage bindings, more than the 2"));
    // The parts fit if each uses only some of the bindings and carries nothing.
    CHECK(session.route(program("b[i] = i; gridBarrier(); a[i] = b[63u - i];")).execute());
}

TEST_CASE_FIXTURE(ExecutorFixture, "what can't be split is refused with the reason") {
    Session session = interpreting_session({device});
    const Route route =
        session.route(program("var g = w.x; if (g > 1u) { g = 2u; } gridBarrier(); if (g > 1u) { "
                              "workgroupBarrier(); a[i] = b[i] + n; }"));
    REQUIRE(route.refused());
    CHECK(mentions(route.refused()->error,
                   "a workgroup barrier depends on a condition that lives across a grid barrier"));
}

TEST_CASE_FIXTURE(ExecutorFixture, "the route says how") {
    Session session = interpreting_session({device});
    const Route split = session.route(turned());
    REQUIRE(split.execute());
    CHECK(split.execute()->grid_barriers ==
          GridBarrierUse{.how = GridBarrierUse::How::split, .dispatches = 2, .scratch_bytes = 4});
    CHECK(split.explain().find("split into 2 dispatches, 4 bytes of scratch per invocation") !=
          std::string::npos);

    auto native = std::make_shared<DeviceScript>();
    native->id = "native";
    native->info.ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
    Session other = interpreting_session({native});
    CHECK(other.route(turned()).explain().find("cooperative launch") != std::string::npos);
    CHECK(other.route(program("a[i] = b[i] + n;")).execute()->grid_barriers == GridBarrierUse{});
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "a device that has grid barriers runs what fits as it is, and the rest in parts") {
    device->info.ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
    device->resident_workgroups = 4;
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, program("let x = a[i]; gridBarrier(); b[i] = x + n;"));
    Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto run = [&](std::uint32_t workgroups) {
        REQUIRE(session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 7u}}, Workgroups{workgroups})->wait());
    };
    run(4);
    CHECK(device->ran == std::vector<std::string>{"main"});
    run(8);
    CHECK(device->ran == std::vector<std::string>{"main", "main_part_1", "main_part_2"});
    run(8);
    CHECK(device->compiles == 3);
    Words expected(count);
    for (std::uint32_t i = 0; i < count; ++i) expected[i] = i + 7;
    CHECK(*b.read_all<std::uint32_t>() == expected);
}

TEST_CASE_FIXTURE(ExecutorFixture, "code with grid barriers is emitted for targets that have them alone") {
    Session session = interpreting_session({device});
    const auto refused = session.emit(turned(), {});
    REQUIRE_FALSE(refused);
    CHECK(mentions(refused.error(), "muster.grid_barrier"));
    device->info.ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
    Session other = interpreting_session({device});
    CHECK(other.emit(turned(), {}));
}

TEST_CASE_FIXTURE(ExecutorFixture,
                  "a part of a grid isn't run by a program with grid barriers, the whole is") {
    Session session = interpreting_session({device});
    const Kernel kernel = prepared(session, turned());
    const Buffer a = *session.buffer(host), b = *session.zeros<std::uint32_t>(count);
    const auto run = [&](GridPart part) {
        return session.dispatch(kernel, {{"a", a}, {"b", b}, {"n", 1u}}, PartOfGrid{part, {8}});
    };
    const auto refused = run({{0, 0, 0}, {7, 1, 1}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message.find("main has grid barriers") == 0);
    REQUIRE(run({{0, 0, 0}, {8, 1, 1}}));
    CHECK(*a.read_all<std::uint32_t>() == expected_turned(1));
}
