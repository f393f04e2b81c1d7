// Each allocation of muster's own fails once, alone and with all later ones: on every device, from opening a session to the
// result, in a session that is open, and when code is emitted. The outcome is an error, std::bad_alloc or the right result;
// nothing leaks, and afterwards the same session works.
#include <array>
#include <chrono>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/process/process_fleet.hpp>

#include "injection/failing_allocations.hpp"
#include "injection/one_run.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

struct Tally {
    std::int64_t right = 0, errors = 0, thrown = 0;
};

using Run = std::function<Result<float>()>;

/// Runs with the allocations from `first` to `last` failing.
void run_failing(const Run& run, std::int64_t first, std::int64_t last, Tally& tally) {
    Result<float> result = fail(ErrorCode::out_of_memory, "Nothing was returned.");
    bool has_thrown = false;
    {
        const FailingAllocations failing(first, last);
        try {
            result = run();
        } catch (const std::bad_alloc&) {
            has_thrown = true;
        }
    }
    if (result)
        CHECK(*result == right);
    else
        CHECK_FALSE(result.error().message.empty());
    ++(has_thrown ? tally.thrown : result ? tally.right : tally.errors);
}

/// The allocations that `call` leaves behind `patience` later: other threads may free some after it has returned.
std::int64_t left_by(const std::function<void()>& call, std::chrono::milliseconds patience) {
    const std::int64_t before = allocations_alive();
    call();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (allocations_alive() != before && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(2ms);
    return allocations_alive() - before;
}

std::int64_t allocations_of(const Run& run) {
    const FailingAllocations counting(never, never);
    REQUIRE(run() == right);
    return counting.made();
}

/// Each allocation of `run` in turn; `after` must go well after each failure.
void fail_in_turn(const Run& run, const Run& after, std::int64_t most_points) {
    REQUIRE(run() == right);  // what is made once in a process is made
    const std::int64_t all = allocations_of(run);
    REQUIRE(all > 0);
    const std::int64_t step = takes_all() ? 1 : std::max<std::int64_t>(1, all / most_points);
    Tally tally;
    for (std::int64_t i = 0; i < all; i += step)
        for (const std::int64_t last : {i, never}) {
            CAPTURE(i);
            CAPTURE(last);
            const auto once = [&] {
                run_failing(run, i, last, tally);
                const auto well = after();  // a session also lets go of dispatches that nobody has waited for
                if (!well) FAIL(well.error().to_string());
                CHECK(*well == right);
            };
            // What is remembered for the process is left once, a leak each time.
            if (left_by(once, 200ms) > 0) CHECK(left_by(once, 10s) <= 0);
        }
    CHECK(tally.errors + tally.thrown > 0);
    MESSAGE(all, " allocations, ", tally.right, " survived, ", tally.errors, " errors, ", tally.thrown,
            " exceptions");
}

}  // namespace

TEST_CASE("whichever allocation fails between opening a session and the result, the process goes on") {
    const ValidProgram program = scaling_program();
    for (const auto& device : conformance::devices()) {
        CAPTURE(device.id);
        const Run run = [&] { return test::run_on(device, program); };
        fail_in_turn(run, run,
                     device.backend == "opencl" ? 20 : 60);  // pocl waits for the disk at each build
    }
}

TEST_CASE("whichever allocation fails in an open session, the session works afterwards") {
    const ValidProgram program = scaling_program();
    for (const auto& device : conformance::devices()) {
        CAPTURE(device.id);
        Session session = session_on(device).value();
        const Run run = [&] { return run_in(session, program); };
        fail_in_turn(run, run, 200);
    }
}

namespace {

/// Calls with every allocation from the first one on failing, then from the second one, until all is well: it never throws.
template <class Call>
void fail_from_each(const std::string& what, Call&& call) {
    CAPTURE(what);
    for (std::int64_t first = 0; first < 2000; ++first) {
        bool is_well = false, has_thrown = false;
        std::int64_t made = 0;
        {
            const FailingAllocations failing(first, never);
            try {
                is_well = call().has_value();
            } catch (...) {
                has_thrown = true;
            }
            made = failing.made();
        }
        CAPTURE(first);
        CHECK_FALSE(has_thrown);
        if (is_well && made <= first) return;
    }
    FAIL("it asks for ever more memory");
}

}  // namespace

TEST_CASE("without memory the functions of a session return errors, and throw nothing") {
    const ValidProgram program = scaling_program();
    for (const auto& device : conformance::devices()) {
        CAPTURE(device.id);
        Session session = session_on(device).value();
        const Kernel kernel = session.prepare(program).value();
        const std::vector<float> numbers{1, 2, 3, 4};
        const Buffer y = session.buffer(numbers).value(), z = session.buffer(numbers).value();
        Buffer written = session.buffer(numbers).value();
        const std::vector<Argument> arguments{{"a", 3.0f}, {"y", y}};
        const Workgroups grid{1};
        std::array<float, 4> into{};
        REQUIRE(session.dispatch(kernel, arguments, grid).value().wait());
        REQUIRE(session.copy({y}, {z}).value().wait());
        fail_from_each("prepare", [&] { return session.prepare(program); });
        fail_from_each("dispatch", [&] { return session.dispatch(kernel, arguments, grid); });
        fail_from_each("route", [&] { return session.route(program, arguments, grid); });
        const auto placed = [](const Route& route) {
            return route.refused() == nullptr ? Result<void>() : std::unexpected(route.refused()->error);
        };
        fail_from_each("route of a program", [&] { return placed(session.route(program)); });
        fail_from_each("route_emission", [&] { return placed(session.route_emission(program)); });
        fail_from_each("explain", [&] { return placed(session.explain(program)); });
        fail_from_each("place", [&] { return session.place(kernel, arguments); });
        fail_from_each("buffer", [&] { return session.zeros<float>(4); });
        fail_from_each("buffer_from", [&] { return session.buffer(numbers); });
        fail_from_each("copy", [&] { return session.copy({y}, {z}); });
        fail_from_each("fill", [&] { return session.fill({z}, 0); });
        fail_from_each("snapshot", [&] { return session.snapshot({y}); });
        fail_from_each("wait", [&]() -> Result<void> {
            auto ticket = session.dispatch(kernel, arguments, grid);
            if (!ticket) return std::unexpected(std::move(ticket).error());
            if (auto ended = ticket->wait(); !ended) return std::unexpected(std::move(ended).error());
            return {};
        });
        fail_from_each("read", [&] { return y.read<float>(std::span<float>(into)); });
        fail_from_each("write", [&] { return written.write(std::span<const float>(numbers)); });
        CHECK(run_in(session, program) == right);
    }
}

TEST_CASE("whichever allocation fails while code is emitted, in any format, emission works afterwards") {
    const ValidProgram program = scaling_program();
    const std::shared_ptr<Fleet> fleet = process_fleet();
    for (std::size_t i = 0; i < fleet->size(); ++i) {
        const std::string& backend = fleet->entry(i).id;
        Session session = Session::open({.policy = {.backends = {{backend}}, .compile_budget = 0s},
                                         .use_environment = false})
                              .value();
        for (const std::string& format : fleet->backend(i).value()->formats()) {
            if (format == "spirv-asm")
                continue;  // made by SPIRV-Tools, which leaks if an exception passes through it
            const Run run = [&]() -> Result<float> {
                auto code = session.emit(program, {.backend = backend, .request = {.format = format}});
                if (!code) return std::unexpected(std::move(code).error());
                return code->bytes.empty() ? 0.0f : right;
            };
            CAPTURE(backend);
            CAPTURE(format);
            const auto first = run();
            if (!first && first.error().code == ErrorCode::unavailable) continue;  // NVRTC, for instance
            fail_in_turn(run, run, 20);
        }
    }
}
