// Sessions end to end on doubles: prepare, buffers, dispatch, tickets, lost and stuck devices, emission.
#include <barrier>
#include <latch>
#include <thread>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/null_device.hpp>
#include <support/programs.hpp>

#include <muster/driver/device/buffer_state.hpp>
#include <muster/driver/device/device_context.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Runs saxpy over the launched part of the grid.
void run_saxpy(const Launch& launch, std::span<const std::span<std::byte>> bindings) {
    if (bindings.size() < 3) return;  // the kernel that tries whether a device answers
    float a = 0;
    std::memcpy(&a, bindings[0].data(), 4);
    const auto* x = reinterpret_cast<const float*>(bindings[1].data());
    auto* y = reinterpret_cast<float*>(bindings[2].data());
    const std::size_t count = bindings[2].size() / 4;
    for (std::size_t i = launch.origin.x * 64; i < (launch.origin.x + launch.extent.x) * 64 && i < count; ++i)
        y[i] += a * x[i];
}

struct SessionFixture {
    ScriptPointer one = script("one", 1), two = script("two", 2);
    ValidProgram program = saxpy();
    std::vector<float> host = std::vector<float>(1000, 1.0f);

    SessionFixture() { one->kernel = two->kernel = run_saxpy; }
    ~SessionFixture() {
        one->gate.open();
        two->gate.open();
    }
    Session open(std::initializer_list<ScriptPointer> scripts, Policy policy = {}) {
        return *Session::open({.policy = std::move(policy),
                               .fleet = std::make_shared<Fleet>(entries(scripts), 1min),
                               .use_environment = false,
                               .close_timeout = 50ms});
    }
    static Kernel prepared(Session& session, const ValidProgram& program) {
        auto kernel = session.prepare(program);
        if (!kernel) FAIL(kernel.error().to_string());
        return *kernel;
    }
};

}  // namespace

TEST_CASE_FIXTURE(SessionFixture, "saxpy from prepare to read") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    CHECK(kernel.backend() == "one");
    CHECK(kernel.route().execute());
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    auto ticket = session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Invocations{host.size()});
    REQUIRE(ticket);
    CHECK(ticket->wait()->device_ns == 1);
    CHECK(*y.read_all<float>() == std::vector<float>(1000, 3.0f));
    CHECK(*x.read_all<float>() == host);
}

TEST_CASE_FIXTURE(SessionFixture, "buffers stay on the device between dispatches") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.zeros<float>(1000);
    for (int i = 0; i < 3; ++i)
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000}));
    CHECK(y.read_all<float>()->at(999) == 3.0f);
    CHECK(one->calls.allocate == 2);  // x and y; a is part of the launch
    CHECK(one->calls.read == 1);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "a program is compiled and loaded once per device and options, in any thread") {
    Session session = open({one});
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { CHECK(session.prepare(program)); });
    threads.clear();
    CHECK(one->calls.compile == 1);
    CHECK(one->calls.load == 1);
    CHECK(one->calls.open == 1);
    REQUIRE(session.prepare(program, {.precision = Precision::fast}));
    CHECK(one->calls.compile == 2);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "a device's own mathematics is used in fast mode only, and where it has it") {
    one->supported_ops.insert(Op::exp);
    one->devices[0].ops.insert(Op::exp);
    Session session = open({one});
    const auto with_exp = map_unary(Op::exp), with_sin = map_unary(Op::sin);
    REQUIRE(session.prepare(with_exp));
    CHECK_FALSE(one->compiled_ops.contains(Op::exp));
    REQUIRE(session.prepare(with_exp, {.precision = Precision::fast}));
    CHECK(one->compiled_ops.contains(Op::exp));
    REQUIRE(session.prepare(with_sin, {.precision = Precision::fast}));
    CHECK_FALSE(one->compiled_ops.contains(Op::sin));
}

TEST_CASE_FIXTURE(SessionFixture, "a failed compilation is an error with its story, and isn't remembered") {
    Session session = open({one});
    one->compile = Act::reject;
    const auto failed = session.prepare(program);
    REQUIRE_FALSE(failed);
    const std::string text = failed.error().to_string();
    CHECK(text.find("while compiling saxpy") != std::string::npos);
    CHECK(text.find("while using one:0") != std::string::npos);
    one->compile = Act::work;
    CHECK(session.prepare(program));
}

TEST_CASE_FIXTURE(SessionFixture, "nothing that a backend throws gets through") {
    Session session = open({one});
    one->compile = Act::throws;
    CHECK(session.prepare(program).error().code == ErrorCode::internal);
    one->compile = Act::work;
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    const auto dispatch = [&] {
        return session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    };
    one->allocate = Act::throws;
    CHECK(dispatch().error().code == ErrorCode::internal);
    one->allocate = Act::work;
    one->submit = Act::throws;
    CHECK(dispatch().error().message.find("Device::submit throws: submit throws on purpose") !=
          std::string::npos);
    one->submit = Act::work;
    one->run = Act::throws;
    CHECK(dispatch()->wait().error().code == ErrorCode::internal);
}

TEST_CASE_FIXTURE(SessionFixture, "a device that doesn't open is passed over, and the route says so") {
    struct Case {
        Act act;
        const char* message;
        const char* fix;
    };
    for (const Case& open_it :
         {Case{Act::fail, "It doesn't open. open of broken fails on purpose.", "expect that"},
          Case{Act::throws, "It doesn't open. Backend::open throws: open throws on purpose.",
               "report this to who wrote the backend: its functions return errors, they don't throw"},
          Case{Act::lose, "It doesn't open. The double is lost on purpose.",
               "check its driver, or exclude it (MUSTER_EXCLUDE)"}}) {
        auto broken = script("broken", 0);
        broken->open = open_it.act;
        const std::uint64_t losses = devices_lost();
        Session session = open({broken, one});
        const Kernel kernel = prepared(session, program);
        CHECK(kernel.backend() == "one");
        const auto& candidates = kernel.route().decision().candidates;
        REQUIRE(candidates.size() == 2);
        CHECK(candidates[0].reason == Reason::open_failed);
        CHECK(candidates[0].stage == Stage::open);
        CHECK(candidates[0].message == open_it.message);
        CHECK(candidates[0].fix == open_it.fix);
        CHECK(candidates[0].failed_first);
        CHECK(broken->calls.open == 1);
        REQUIRE(session.prepare(iota()));
        CHECK(broken->calls.open == 1);
        CHECK(devices_lost() == losses);
        broken->open = Act::work;
        Session next = open({broken, one});  // another session tries again
        CHECK(prepared(next, program).backend() == "broken");
        broken->open = open_it.act;
        broken->formats.clear();
        const auto refused = open({broken}).prepare(program);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::refused);
        CHECK(refused.error().to_string().find(open_it.message) != std::string::npos);
        CHECK(refused.error().fix == std::string("broken:0: ") + open_it.fix);
    }
}

TEST_CASE_FIXTURE(SessionFixture,
                  "a device that isn't the one asked for, or can run nothing, costs only itself") {
    one->open = Act::lie;
    one->opened = fit_device(7);
    Session session = open({one, two});
    const Kernel kernel = prepared(session, program);
    CHECK(kernel.backend() == "two");
    CHECK(kernel.route().explain().find("opens device 7 instead") != std::string::npos);
    one->opened = fit_device();
    one->opened.limits.max_workgroups = {0, 1, 1};
    Session again = open({one, two});
    CHECK(prepared(again, program).backend() == "two");
}

TEST_CASE_FIXTURE(SessionFixture, "prepare tells the route's story where nothing can execute") {
    one->devices.clear();
    const auto emission_only = open({one}).prepare(program);
    REQUIRE_FALSE(emission_only);
    CHECK(emission_only.error().code == ErrorCode::refused);
    CHECK(emission_only.error().to_string().find("code for one:d1 can be emitted") != std::string::npos);
    CHECK(emission_only.error().to_string().find("one finds no device") != std::string::npos);
    CHECK(open({}).prepare(program).error().code == ErrorCode::refused);
}

TEST_CASE_FIXTURE(SessionFixture, "a grid over the device's limit is folded, and reads as one") {
    one->devices[0].limits.max_workgroups = {3, 1, 1};
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.zeros<float>(1000);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000});
    REQUIRE(ticket);
    CHECK(ticket->wait()->device_ns == 6);  // 16 workgroups of 3 ns each
    REQUIRE(one->launches.size() == 6);
    for (const Launch& launch : one->launches) CHECK(launch.grid == Extent3{16, 1, 1});
    CHECK(*y.read_all<float>() == host);
}

TEST_CASE_FIXTURE(SessionFixture, "what ends within submit() is done when dispatch returns") {
    one->ends_at_once = true;
    one->devices[0].limits.max_workgroups = {3, 1, 1};
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.zeros<float>(1000);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000});
    REQUIRE(ticket);
    CHECK(ticket->done());
    CHECK(ticket->wait(0ns)->device_ns == 6);  // 16 workgroups of 3 ns each
    ticket->abandon();
    CHECK(one->calls.abandon == 0);
    CHECK(*y.read_all<float>() == host);
    one->submit = Act::lose;
    const auto lost = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000});
    CHECK(lost.error().code == ErrorCode::device_lost);
    CHECK(ticket->wait(0ns));  // it has already ended
}

TEST_CASE_FIXTURE(SessionFixture,
                  "an empty grid is done at once, and its bindings are checked all the same") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer none = *session.zeros<float>(0), also_none = *session.zeros<float>(0);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", none}, {"y", also_none}}, Invocations{0});
    REQUIRE(ticket);
    CHECK(ticket->done());
    CHECK(ticket->wait(0ns));
    ticket->abandon();
    CHECK(one->calls.submit == 0);
    CHECK_FALSE(session.dispatch(kernel, {{"a", 1.0f}}, Workgroups{0}));
}

TEST_CASE_FIXTURE(SessionFixture, "a dispatch's error tells what, where and how to mend it") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(2);
    const auto failed = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().to_string() ==
          "Binding 2 (\"y\") holds 2 bytes, fewer than the 4 that array<f32> needs.\n"
          "  while binding arguments of saxpy\n"
          "  while dispatching saxpy on one:0\n"
          "Fix: bind at least 4 bytes");
}

TEST_CASE_FIXTURE(SessionFixture, "a buffer moves to the device that a kernel runs on") {
    Policy only_two;
    only_two.exclude = {"one"};
    Session first = open({one, two}), second = open({one, two}, only_two);
    const Kernel on_one = prepared(first, program), on_two = prepared(second, program);
    Buffer x = *first.buffer(host), y = *first.zeros<float>(1000);
    REQUIRE(first.dispatch(on_one, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000}));
    REQUIRE(second.dispatch(on_two, {{"a", 10.0f}, {"x", x}, {"y", y}}, Invocations{1000}));
    CHECK(*y.read_all<float>() == std::vector<float>(1000, 11.0f));
    CHECK(two->calls.submit == 1);
}

TEST_CASE_FIXTURE(SessionFixture, "host and device parts of a buffer are read and written within bounds") {
    Session session = open({one});
    Buffer buffer = *session.zeros<float>(4);
    CHECK(*buffer.read_all<float>() == std::vector<float>(4, 0.0f));
    const std::array<float, 1> seven{7.0f};
    REQUIRE(buffer.write_bytes(std::as_bytes(std::span(seven)), 8));
    CHECK(*buffer.read_all<float>() == std::vector<float>{0, 0, 7, 0});
    CHECK(buffer.write_bytes(std::as_bytes(std::span(seven)), 13).error().code ==
          ErrorCode::invalid_argument);
    std::vector<float> five(5);
    CHECK_FALSE(buffer.read(five));
    CHECK(buffer.read_bytes({}, UINT64_MAX).error().code == ErrorCode::invalid_argument);
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host);
    REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", buffer}}, Workgroups{1}));
    REQUIRE(buffer.write_bytes(std::as_bytes(std::span(seven)), 0));
    CHECK(*buffer.read_all<float>() == std::vector<float>{7, 1, 8, 1});
}

TEST_CASE_FIXTURE(SessionFixture, "a ticket times out and can be waited for again") {
    one->run = Act::hang;
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(ticket);
    const auto early = ticket->wait(30ms);
    REQUIRE_FALSE(early);
    CHECK(early.error().code == ErrorCode::timed_out);
    CHECK_FALSE(ticket->done());
    std::array<std::byte, 4> into;
    CHECK(y.read_bytes(into, 0, 10ms).error().code == ErrorCode::timed_out);
    one->gate.open();
    CHECK(ticket->wait());
    CHECK(ticket->done());
    CHECK(y.read_bytes(into));
}

TEST_CASE_FIXTURE(SessionFixture, "a ticket is waited for in several threads, and all get the same answer") {
    Session session = null_session(std::make_shared<NullWork>());  // work ends when it is waited for
    const Kernel kernel = prepared(session, program);
    const Buffer x = *session.buffer(host), y = *session.zeros<float>(1000);
    std::barrier at_once(3);
    for (int round = 0; round < 300; ++round) {
        const auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000});
        REQUIRE(ticket);
        CHECK_FALSE(ticket->done());
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
                at_once.arrive_and_wait();
                CHECK(ticket->wait()->device_ns == 0);
                CHECK(ticket->done());
            });
    }
    one->run = Act::lose;
    Session losing = open({one});
    const Kernel lost = prepared(losing, program);
    const auto ticket = losing.dispatch(lost, {{"a", 1.0f}, {"x", x}, {"y", y}}, Invocations{1000});
    REQUIRE(ticket);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] { CHECK(ticket->wait().error().code == ErrorCode::device_lost); });
}

TEST_CASE_FIXTURE(SessionFixture,
                  "a stuck device is quarantined: nothing hangs, others and new sessions work") {
    one->run = Act::hang;
    Session session = open({one, two});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host), elsewhere = *session.buffer(host);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(ticket);
    Result<Timing> seen;
    std::jthread waiting([&] { seen = ticket->wait(); });
    ticket->abandon();
    waiting.join();
    CHECK(seen.error().code == ErrorCode::device_lost);
    CHECK(one->calls.abandon == 1);  // told once, so that it can stop
    ticket->abandon();
    CHECK(one->calls.abandon == 1);
    CHECK(ticket->wait().error().code == ErrorCode::device_lost);
    CHECK(y.read_all<float>().error().code == ErrorCode::device_lost);
    CHECK(y.write(std::span<const float>(host)).error().code == ErrorCode::device_lost);
    CHECK(*elsewhere.read_all<float>() == host);
    const auto again = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    CHECK(again.error().code == ErrorCode::device_lost);
    CHECK(session.route(program).execute()->backend == "two");
    CHECK(prepared(session, program).backend() == "two");
    session.close();
    one->run = Act::work;
    Session fresh = open({one});
    const Kernel anew = prepared(fresh, program);
    Buffer fresh_x = *fresh.buffer(host), fresh_y = *fresh.buffer(host);
    auto done = fresh.dispatch(anew, {{"a", 1.0f}, {"x", fresh_x}, {"y", fresh_y}}, Workgroups{1});
    REQUIRE(done);
    CHECK(done->wait());
}

TEST_CASE_FIXTURE(
    SessionFixture,
    "a new session tries a device that was given up in a kernel, and passes it over while it is stuck") {
    one->run = Act::hang;
    const auto fleet = std::make_shared<Fleet>(entries({one, two}), std::chrono::nanoseconds::max());
    const auto open_again = [&] { return *Session::open({.fleet = fleet, .use_environment = false}); };
    Session session = open_again();
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1})->abandon();

    Session stuck = open_again();
    const Kernel elsewhere = prepared(stuck, program);
    CHECK(elsewhere.backend() == "two");
    CHECK(elsewhere.route().explain().find("one:0 hasn't ended an empty kernel after 5 s: a kernel that was "
                                           "given up in this process still runs there") != std::string::npos);
    CHECK(one->calls.abandon == 2);

    one->run = Act::work;  // as a driver that runs several kernels at a time
    Session fresh = open_again();
    CHECK(prepared(fresh, program).backend() == "one");
}

TEST_CASE_FIXTURE(SessionFixture, "close returns although a kernel never ends") {
    one->run = Act::hang;
    const auto start = std::chrono::steady_clock::now();
    std::optional<Buffer> y;
    {
        Session session = open({one});
        const Kernel kernel = prepared(session, program);
        Buffer x = *session.buffer(host);
        y = *session.buffer(host);
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", *y}}, Workgroups{1}));
        session.close();
        CHECK(session.dispatch(kernel, {}, Workgroups{1}).error().code == ErrorCode::refused);
        CHECK(session.prepare(program).error().code == ErrorCode::refused);
    }
    CHECK(y->read_all<float>().error().code == ErrorCode::device_lost);
    CHECK(std::chrono::steady_clock::now() - start < 60s);
}

TEST_CASE_FIXTURE(SessionFixture, "timeouts of any size are waited for, not wrapped") {
    one->run = Act::hang;
    Session session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({one}), std::chrono::nanoseconds::max()),
                        .use_environment = false,
                        .close_timeout = std::chrono::nanoseconds::max()});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(ticket);
    CHECK(ticket->wait(std::chrono::nanoseconds::min()).error().code == ErrorCode::timed_out);
    std::array<std::byte, 4> word;
    CHECK(y.read_bytes(word, 0, std::chrono::nanoseconds::min()).error().code == ErrorCode::timed_out);
    const std::jthread later([&] {
        CHECK(one->gate.is_waited_at());
        one->gate.open();
    });
    session.close();  // waits
    CHECK(one->calls.abandon == 0);
    CHECK(ticket->wait(std::chrono::nanoseconds::max()));
    CHECK(y.read_bytes(word, 0, std::chrono::nanoseconds::max()));
}

TEST_CASE_FIXTURE(SessionFixture,
                  "reading a buffer keeps its timeout while a dispatch waits for another device") {
    one->run = Act::hang;
    Session session = open({one, two});
    const Kernel here = prepared(session, program);
    two->devices[0].software_emulated = false;
    Session narrow = open({two}, {});
    Buffer x = *session.buffer(host), y = *session.buffer(host), z = *session.buffer(host);
    REQUIRE(session.dispatch(here, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
    const Kernel there = prepared(narrow, program);
    std::jthread moving([&] {
        (void)narrow.dispatch(there, {{"a", 1.0f}, {"x", y}, {"y", z}}, Workgroups{1});
    });
    CHECK(one->gate.is_waited_at());
    std::array<std::byte, 4> word;
    CHECK(z.read_bytes(word, 0, 1ms));  // no dispatch uses it yet
    CHECK(y.read_bytes(word, 0, 1ms).error().code == ErrorCode::timed_out);
    one->gate.open();
}

TEST_CASE_FIXTURE(SessionFixture, "a kernel belongs to its session, and may outlive it") {
    std::optional<Kernel> kernel;
    {
        Session session = open({one});
        kernel = prepared(session, program);
    }
    Session other = open({one});
    Buffer x = *other.buffer(host), y = *other.buffer(host);
    const auto refused = other.dispatch(*kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK(refused.error().message.find("prepared by another session") != std::string::npos);
    CHECK(kernel->backend() == "one");
}

TEST_CASE_FIXTURE(SessionFixture, "what no memory can hold is an error, not an exception") {
    Session session = open({one});
    CHECK(session.zeros<float>(std::uint64_t{1} << 62).error().code == ErrorCode::limit_exceeded);
    auto state = std::make_shared<Buffer::State>();
    state->bytes = std::uint64_t{1} << 63;  // more than a vector can hold
    CHECK(Buffer(state).read_all<float>().error().code == ErrorCode::out_of_memory);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "a buffer that no memory here holds is refused at once, with the number and the limit") {
    constexpr std::uint64_t bytes = std::uint64_t{1} << 62;
    Session session = open({one});
    const auto huge = session.buffer(bytes);
    REQUIRE_FALSE(huge);
    CHECK(huge.error().code == ErrorCode::limit_exceeded);
    CHECK(huge.error().message == "A buffer of 4611686018427387904 bytes is more than the " +
                                      std::to_string(platform::host_memory_bytes()) +
                                      " that this machine has.");
    CHECK_FALSE(session.buffer(platform::host_memory_bytes() + 1));
    CHECK_FALSE(session.zeros<float>(bytes / sizeof(float)));
    CHECK(session.buffer(platform::host_memory_bytes()));  // zeros, which take no memory until they are used
}

TEST_CASE_FIXTURE(SessionFixture, "a device with more memory than the host may have larger buffers") {
    const std::uint64_t host = platform::host_memory_bytes();
    one->devices[0].memory_bytes = 2 * host;
    Session session = open({one});
    CHECK(session.buffer(host));
    CHECK(one->calls.probe == 0);  // host memory alone suffices
    CHECK(session.buffer(2 * host));
    const auto refused = session.buffer(2 * host + 1);
    REQUIRE_FALSE(refused);
    CHECK(
        refused.error().message.ends_with("more than the " + std::to_string(2 * host) + " that one:0 has."));
}

TEST_CASE_FIXTURE(SessionFixture, "closing while others dispatch leaves nothing in flight") {
    one->run = Act::lag;
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    std::latch dispatching(4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            Buffer x = *session.buffer(host), y = *session.buffer(host);
            const auto dispatch = [&] {
                return session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
            };
            CHECK(dispatch());
            dispatching.count_down();
            while (dispatch()) continue;
        });
    dispatching.wait();
    session.close();
    threads.clear();
    CHECK(one->unfinished == 0);
}

TEST_CASE_FIXTURE(SessionFixture, "a dispatch during which its session closes has ended when it returns") {
    one->run = Act::lag;
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    one->kernel = [&](const Launch&, auto) { session.close(); };
    REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
    CHECK(one->unfinished == 0);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "too many dispatches in flight wait for the first, without holding their buffers") {
    one->run = Act::hang;
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host), z = *session.buffer(host);
    const auto dispatch = [&](const Buffer& into) {
        return session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", into}}, Workgroups{1});
    };
    for (int i = 0; i < 1024; ++i) REQUIRE(dispatch(y));
    CHECK(one->calls.submit == 1024);
    Result<Ticket> last = std::unexpected(Error{});
    std::jthread waiting([&] { last = dispatch(z); });
    CHECK(one->gate.is_waited_at());
    CHECK(one->calls.submit == 1024);
    std::array<std::byte, 4> word;
    CHECK(z.read_bytes(word, 0, 1ms));
    one->gate.open();
    waiting.join();
    REQUIRE(last);
    CHECK(last->wait());
    CHECK(one->calls.submit == 1025);
}

TEST_CASE_FIXTURE(SessionFixture, "buffers outlive a session that closes in order") {
    std::optional<Buffer> y;
    {
        Session session = open({one});
        const Kernel kernel = prepared(session, program);
        Buffer x = *session.buffer(host);
        y = *session.buffer(host);
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", *y}}, Invocations{1000}));
    }
    CHECK(*y->read_all<float>() == std::vector<float>(1000, 2.0f));
}

TEST_CASE_FIXTURE(SessionFixture, "a device that is lost in a run stays lost for the session") {
    one->run = Act::lose;
    Session session = open({one, two});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(ticket);
    CHECK(ticket->wait().error().code == ErrorCode::device_lost);
    CHECK(y.read_all<float>().error().code == ErrorCode::device_lost);
    CHECK(prepared(session, program).backend() == "two");
    CHECK(open({one}).prepare(program));
}

TEST_CASE_FIXTURE(SessionFixture, "emission needs no device, and is checked once for all backends") {
    one->devices.clear();
    Session session = open({one, two});
    const auto own_choice = session.emit(program);
    REQUIRE(own_choice);
    CHECK(own_choice->target == "one:d1");
    CHECK(own_choice->format == "text");
    CHECK(session.emit(program, {.backend = "two"})->target == "two:d1");
    CHECK(session.emit(program, {.arch = "two:d2"})->target == "two:d2");
    CHECK(session.emit(program, {.backend = "two", .arch = "d2"})->target == "two:d2");
    CHECK(one->calls.probe + one->calls.open + two->calls.probe + two->calls.open == 0);

    CHECK(session.emit(program, {.backend = "absent"}).error().code == ErrorCode::not_found);
    const auto conflicting = session.emit(program, {.backend = "one", .arch = "two:d2"});
    CHECK(conflicting.error().code == ErrorCode::invalid_argument);
    const auto unknown = session.emit(program, {.backend = "two", .arch = "d9"});
    CHECK(unknown.error().to_string().find("There is no target d9") != std::string::npos);
    CHECK(session.emit(program, {.request = {.format = "ptx"}}).error().code == ErrorCode::not_found);
    CHECK(session.emit(program, {.request = {.options = {.specs = {{"opt", "3"}}}}}));
    const auto spec = session.emit(program, {.request = {.options = {.specs = {{"fast", "1"}}}}});
    CHECK(spec.error().code == ErrorCode::invalid_argument);
    CHECK(spec.error().fix.find("opt") != std::string::npos);
    Policy policy;
    policy.exclude = {"two"};
    CHECK(open({one, two}, policy).emit(program, {.backend = "two"}).error().code == ErrorCode::refused);
}

TEST_CASE_FIXTURE(SessionFixture, "many threads share a session, its kernels and its buffers") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), shared = *session.zeros<float>(1000);
    constexpr int thread_count = 4, rounds = 25;
    std::vector<std::jthread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&] {
            Buffer own = *session.zeros<float>(1000);
            for (int i = 0; i < rounds; ++i) {
                CHECK(session.route(program).execute());
                CHECK(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", own}}, Invocations{1000}));
                auto ticket =
                    session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", shared}}, Invocations{1000});
                REQUIRE(ticket);
                CHECK(ticket->wait());
            }
            CHECK(own.read_all<float>()->at(500) == float(rounds));
        });
    threads.clear();
    CHECK(shared.read_all<float>()->at(500) == float(thread_count * rounds));
}

TEST_CASE_FIXTURE(SessionFixture, "buffers that are placed need no memory when they are dispatched") {
    Session session = open({one});
    const Kernel kernel = prepared(session, program);
    Buffer x = *session.buffer(host), y = *session.buffer(host);
    const std::vector<Argument> arguments{{"a", 2.0f}, {"x", x}, {"y", y}};
    REQUIRE(session.place(kernel, arguments));
    CHECK(one->calls.allocate == 2);
    CHECK(one->calls.submit == 0);
    REQUIRE(session.dispatch(kernel, arguments, Invocations{1000}));
    CHECK(one->calls.allocate == 2);
    CHECK(*y.read_all<float>() == std::vector<float>(1000, 3.0f));
    CHECK(session.place(kernel, {}).error().code == ErrorCode::invalid_argument);
    one->allocate = Act::fail;
    const Buffer more = *session.buffer(host);
    const auto full = session.place(kernel, std::vector<Argument>{{"a", 2.0f}, {"x", more}, {"y", y}});
    REQUIRE_FALSE(full);
    CHECK(full.error().to_string().find("moving the buffer of \"x\" to one:0") != std::string::npos);
}
