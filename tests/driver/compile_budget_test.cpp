// Compilations that never end: the caller's error, what is left behind, and how a process ends meanwhile.
#include <atomic>
#include <cstdlib>
#include <thread>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/own_process.hpp>
#include <support/programs.hpp>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

struct BudgetFixture {
    ScriptPointer one = script("one", 1), two = script("two", 2);
    ValidProgram program = saxpy();

    ~BudgetFixture() { let_end(); }
    Session open(std::initializer_list<ScriptPointer> scripts, std::chrono::nanoseconds budget = 2ms) {
        return *Session::open({.policy = {.compile_budget = budget},
                               .fleet = std::make_shared<Fleet>(entries(scripts), 1min),
                               .use_environment = false});
    }
    void let_end() {
        for (const ScriptPointer& each : {one, two}) {
            each->compile = each->load = each->emit = Act::work;
            each->gate.open();
        }
        while (compilations_left_behind() > 0) std::this_thread::yield();
    }
    /// Prepares until the error is no longer that the budget is over.
    Result<Kernel> prepared_in_the_end(Session& session) {
        for (;;) {
            auto kernel = session.prepare(program);
            if (kernel || kernel.error().code != ErrorCode::compile_timed_out) return kernel;
        }
    }
};

}  // namespace

TEST_CASE_FIXTURE(BudgetFixture,
                  "a compilation that overruns its budget is an error, and no other device runs it") {
    one->compile = Act::hang;
    Session session = open({one, two});
    const auto kernel = session.prepare(program);
    REQUIRE_FALSE(kernel);
    CHECK(kernel.error().code == ErrorCode::compile_timed_out);
    CHECK(kernel.error().to_string() ==
          "Compiling saxpy on one:0 takes longer than the compile budget, 0.002 s of processor time, or 20 "
          "times as long by the clock. The compiler can't be stopped and is left behind on its thread (1 of "
          "at most 4).\n"
          "  while preparing saxpy\n"
          "Fix: give it more time (Policy::compile_budget, MUSTER_COMPILE_BUDGET, or --compile-budget, in "
          "seconds; 0: "
          "no limit), choose another backend, or make the program smaller");
    CHECK(two->calls.compile == 0);
    CHECK(compilations_left_behind() == 1);
}

TEST_CASE("a compilation that waits for a processor keeps its budget, and one that computes uses it up") {
    // Asleep, as on a machine where others compute: five times as long as the budget, a quarter of what the clock allows.
    const auto waits = compile_within<int>(200ms, "a program", [] {
        std::this_thread::sleep_for(1s);
        return Result<int>(1);
    });
    CHECK(waits.value() == 1);
    std::atomic<bool> stops{false};
    const auto computes = compile_within<int>(20ms, "a program", [&] {
        while (!stops) {
        }
        return Result<int>(1);
    });
    CHECK(computes.error().code == ErrorCode::compile_timed_out);
    stops = true;
    while (compilations_left_behind() > 0) std::this_thread::yield();
}

TEST_CASE_FIXTURE(BudgetFixture, "who asks again waits for the same compilation, and gets what it makes") {
    one->compile = Act::hang;
    Session session = open({one});
    for (int i = 0; i < 6; ++i) CHECK(session.prepare(program).error().code == ErrorCode::compile_timed_out);
    CHECK(compilations_left_behind() == 1);
    one->gate.open();
    CHECK(prepared_in_the_end(session));
    CHECK(session.prepare(program));
    CHECK(one->calls.compile == 1);
    CHECK(one->calls.load == 1);
    CHECK(compilations_left_behind() == 0);
}

TEST_CASE_FIXTURE(BudgetFixture, "loading and emitting are within the budget") {
    one->load = Act::hang;
    Session session = open({one});
    CHECK(session.prepare(program).error().code == ErrorCode::compile_timed_out);
    let_end();
    one->gate.close();
    one->emit = Act::hang;
    const auto emitted = session.emit(program);
    REQUIRE_FALSE(emitted);
    CHECK(emitted.error().code == ErrorCode::compile_timed_out);
    CHECK(emitted.error().to_string().find("while emitting saxpy for one:d1") != std::string::npos);
}

TEST_CASE_FIXTURE(BudgetFixture, "without a budget a compilation takes as long as it takes") {
    one->compile = Act::hang;
    Session session = open({one}, 0ns);
    std::jthread opens([&] {
        while (one->calls.compile == 0) std::this_thread::yield();
        one->gate.open();
    });
    CHECK(session.prepare(program));
}

TEST_CASE_FIXTURE(BudgetFixture, "so many are left behind and no more") {
    one->compile = Act::hang;
    Session session = open({one, two});
    for (std::uint32_t i = 0; i < most_left_behind; ++i)
        CHECK(session.prepare(saxpy(1 + i)).error().code == ErrorCode::compile_timed_out);
    CHECK(compilations_left_behind() == most_left_behind);
    const auto refused = session.prepare(program);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(refused.error().message ==
          "Nothing compiles saxpy on one:0: 4 compilations that overran their budgets still run in this "
          "process, and 4 is the limit.");
    while (one->calls.compile < static_cast<int>(most_left_behind))  // a busy machine starts them late
        std::this_thread::yield();
    CHECK(one->calls.compile == most_left_behind);
    CHECK(open({two}, 0ns).prepare(program));  // none of this is left behind
    let_end();
    CHECK(open({one}, 1min).prepare(program));
}

TEST_CASE_FIXTURE(BudgetFixture, "what is left behind has all that it uses, and lets go of it in the end") {
    one->compile = Act::hang;
    {
        Session session = open({one});
        CHECK_FALSE(session.prepare(program));
    }
    CHECK(one.use_count() > 1);  // the device still uses it
    let_end();
    while (one.use_count() > 1) std::this_thread::yield();
    CHECK(one->calls.load == 1);
}

TEST_CASE_FIXTURE(BudgetFixture, "several threads wait for one compilation") {
    one->compile = Act::hang;
    Session session = open({one}, 1min);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { CHECK(session.prepare(program)); });
    one->gate.open();
    threads.clear();
    CHECK(one->calls.compile == 1);
}

TEST_CASE_FIXTURE(BudgetFixture, "a process that ends while a compiler works ends with its status") {
    const auto ends = [&](Act compile) {
        return in_own_process(20, [&]() -> int {
            one->compile = compile;
            std::atexit([] { _exit(99); });  // simulates the destructors of a compiler's library
            (void)open({one}, compile == Act::hang ? 2ms : 1min).prepare(program);
            std::exit(7);
        });
    };
    CHECK(ends(Act::hang) == 7);
    CHECK(ends(Act::work) == 99);
}
