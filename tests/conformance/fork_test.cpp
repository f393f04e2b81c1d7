// A process forks after it has used muster, on every device: the child is told what stayed in its parent, at once and without a
// hang, and a session that it opens works.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <support/own_process.hpp>
#include <unistd.h>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::uint32_t count = 1 << 16;

/// A kernel whose cost isn't known before it runs, so that the CPU hands it to its queue.
constexpr const char* counting = R"(
@group(0) @binding(0) var<uniform> turns: u32;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn count_up(@builtin(global_invocation_id) id: vec3u) {
    for (var i = 0u; i < turns; i++) { y[id.x] += 1; }
}
)";

ValidProgram counting_program() { return validate(wgsl::parse(counting).value()).value(); }

Result<Session> open_on(const conformance::TestDevice& device) {
    return Session::open({.policy = conformance::policy_for(device), .use_environment = false});
}

/// True once the function given to the ticket has been called.
Result<bool> calls_back(const Ticket& ticket) {
    std::mutex mutex;
    std::condition_variable called;
    bool is_called = false;
    TRY(ticket.on_end([&](const Result<Timing>&) {
        const std::lock_guard lock(mutex);
        is_called = true;
        called.notify_all();
    }));
    std::unique_lock lock(mutex);
    return called.wait_for(lock, std::chrono::minutes(1), [&] { return is_called; });
}

/// Empty if a session on the device gives the right result; else what went wrong.
std::string use(const conformance::TestDevice& device) {
    const auto last = [&]() -> Result<std::uint32_t> {
        Session session = TRY(open_on(device));
        const Kernel kernel = TRY(session.prepare(counting_program()));
        const Buffer y = TRY(session.zeros<std::uint32_t>(count));
        const Ticket ticket = TRY(session.dispatch(kernel, {{"turns", 7u}, {"y", y}}, Invocations{count}));
        if (!TRY(calls_back(ticket))) return fail(ErrorCode::timed_out, "Ticket::on_end calls nothing.");
        return TRY(y.read_all<std::uint32_t>()).back();
    }();
    if (!last) return last.error().to_string();
    return *last == 7 ? "" : "the result is " + std::to_string(*last);
}

/// What a child writes if something isn't as it should be.
void expect(bool is_right, const std::string& what) {
    if (!is_right) std::fprintf(stderr, "%s\n", what.c_str());
}
template <class T>
void expect_refused(const Result<T>& result, const std::string& what, const std::string& text) {
    if (result)
        expect(false, what + " works");
    else
        expect(result.error().to_string().find(text) != std::string::npos,
               what + ": " + result.error().to_string());
}

/// Runs the function in a child that is ended after two minutes. Returns what it wrote.
std::string in_child(const std::function<void()>& run) {
    const ProcessEnd end = run_in_own_process([&] {
        alarm(120);
        set_log_sink([](LogLevel, std::string_view) {});  // what fails is warned of
        run();
        std::fflush(stderr);
    });
    return end.signal == 0 ? end.standard_error
                           : "signal " + std::to_string(end.signal) + "; " + end.standard_error;
}

}  // namespace

TEST_CASE("a child of a fork is told what stayed in its parent, and a session of its own works" *
          doctest::test_suite("devices")) {
    for (const auto& device : conformance::devices()) {
        if (!device.documented) continue;  // a double for tests
        CAPTURE(device.id);
        const ValidProgram program = counting_program();
        Session session = open_on(device).value();
        const Kernel kernel = session.prepare(program).value();
        Buffer y = session.zeros<std::uint32_t>(count).value();
        Sequence sequence = session.sequence();
        REQUIRE(sequence.dispatch(kernel, {{"turns", 1u}, {"y", y}}, Invocations{count}));
        const auto dispatched = [&] {
            return session.dispatch(kernel, {{"turns", 1u}, {"y", y}}, Invocations{count});
        };
        REQUIRE(calls_back(dispatched().value()).value());
        const Ticket ticket = dispatched().value();  // may be in flight when the process forks
        const bool is_dispatched_at_once = ticket.done();

        const std::string stayed = "forked from";
        CHECK(in_child([&] {
                  expect_refused(dispatched(), "a dispatch", stayed);
                  expect_refused(sequence.submit(), "a sequence", stayed);
                  expect_refused(session.prepare(program), "a program", stayed);
                  expect_refused(session.zeros<std::uint32_t>(1), "a buffer", stayed);
                  expect_refused(session.emit(program), "emitted code", stayed);
                  expect_refused(y.read_all<std::uint32_t>(), "a read", stayed);
                  expect_refused(y.write(std::span<const std::uint32_t>(std::vector<std::uint32_t>(count))),
                                 "a write", stayed);
                  const Route route = session.route(program);
                  expect(route.refused() && route.refused()->error.message.find(stayed) != std::string::npos,
                         "a route: " + route.explain());
                  if (!is_dispatched_at_once && !ticket.done())
                      expect_refused(ticket.wait(), "a wait", stayed);
                  session.close();
                  Session own = open_on(device).value();
                  const auto elsewhere = own.prepare(program);
                  if (elsewhere)
                      expect_refused(own.dispatch(*elsewhere, {{"turns", 1u}, {"y", y}}, Invocations{count}),
                                     "the parent's buffer in a session of the child", stayed);
              }) == "");
        // OpenCL's drivers keep threads for the whole process; the others start anew.
        const std::string used = in_child([&] { expect(false, use(device)); });
        if (device.backend == "opencl")
            CHECK(used.find("OpenCL was in use before this process was forked") != std::string::npos);
        else
            CHECK(used == "\n");
        // The parent goes on, and a child's child is as a child.
        REQUIRE(ticket.wait());
        REQUIRE(dispatched().value().wait());
        CHECK(y.read_all<std::uint32_t>()->back() == 3);
        if (device.backend == "opencl") continue;
        CHECK(in_child([&] {
                  expect(use(device).empty(), "a child: " + use(device));
                  const std::string grandchild = in_child([&] { expect(false, use(device)); });
                  expect(grandchild == "\n", "a child's child: " + grandchild);
              }) == "");
    }
}

TEST_CASE("a fleet of the parent is refused in the child of a fork") {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    CHECK(in_child([&] {
              expect_refused(Session::open({.fleet = fleet}), "the fleet", "The fleet is of the process");
              expect(process_fleet() != fleet, "process_fleet() gives the parent's");
          }) == "");
}

TEST_CASE("whatever lock of the registry another thread holds, the child of a fork goes on") {
    std::atomic<bool> goes_on{true};
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i)
        others.emplace_back([&] {
            while (goes_on) {
                (void)refreeze();
                (void)process_fleet();
            }
        });
    for (const auto& device : conformance::devices()) {
        if (device.backend != "reference") continue;
        for (int i = 0; i < 20; ++i) CHECK(in_child([&] { expect(use(device).empty(), use(device)); }) == "");
    }
    goes_on = false;
    for (std::thread& one : others) one.join();
}
