// Submissions: in order, many in flight, folded, timed; a launch's arguments.
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <muster/backend-cuda/device/launch.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace std::chrono_literals;

TEST_CASE("saxpy, in each way") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        Session session = machine.session();
        const Kernel kernel = prepared(session, test::saxpy());
        std::vector<float> host_x(1000), host_y(host_x.size(), 1.0f);
        std::iota(host_x.begin(), host_x.end(), 0.0f);
        Buffer x = *session.buffer(host_x), y = *session.buffer(host_y);
        auto ticket = session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Invocations{host_x.size()});
        if (!ticket) FAIL(ticket.error().to_string());
        const auto timing = ticket->wait();
        if (!timing) FAIL(timing.error().to_string());
        CHECK(timing->device_ns.has_value() == way.timestamps);  // nothing else has a clock
        CHECK(timing->device_ns.value_or(1) > 0);
        CHECK(timing->device_ns.value_or(1) < 10'000'000'000);
        const auto result = *y.read_all<float>();
        for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == 2.0f * host_x[i] + 1.0f);
    }
}

TEST_CASE("a uniform is a value in the block, a value in memory, or a buffer") {
    for (const std::uint32_t most_value_bytes : {256u, 0u}) {
        Machine machine;
        machine.compiler.most_value_bytes = most_value_bytes;
        Session session = machine.session();
        const Kernel kernel = prepared(session, test::saxpy());
        Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
        Buffer a = *session.buffer(std::vector<float>(1, 10.0f));
        for (const float value : {1.0f, 2.0f, 3.0f})
            REQUIRE(session.dispatch(kernel, {{"a", value}, {"x", x}, {"y", y}}, Workgroups{1}));
        REQUIRE(session.dispatch(kernel, {{"a", a}, {"x", x}, {"y", y}}, Workgroups{1}));
        REQUIRE(session.dispatch(kernel, {{"a", 4.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
        CHECK(*y.read_all<float>() == std::vector<float>(64, 20.0f));
        // Read-only storage may be a value, too: always in memory, with its length beside it.
        std::array<float, 16> values{};
        values.fill(5.0f);
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", values}, {"y", y}}, Workgroups{1}));
        const auto sum = *y.read_all<float>();
        CHECK(sum[15] == 25.0f);
        CHECK(sum[16] == 20.0f);  // beyond the sixteen elements a load gives zero
    }
}

TEST_CASE("a grid over the device's limit sees one num_workgroups and every workgroup_id") {
    IrBuilder ir("ids", {1, 1, 1});
    const VariableId out = ir.variable(
        {.name = "out", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId id = ir.extract(ir.builtin(Builtin::workgroup_id), 1);
    const NodeId count = ir.extract(ir.builtin(Builtin::num_workgroups), 1);
    ir.store(ir.ref_index(ir.ref(out), id), ir.binary(Op::add, id, count));
    Machine machine;
    Session session = machine.session();
    const Kernel kernel = prepared(session, test::valid(std::move(ir)));
    constexpr std::uint32_t count_of_all = 70'000;  // 65,535 is the maximum along y
    Buffer buffer = *session.zeros<std::uint32_t>(count_of_all);
    auto ticket = session.dispatch(kernel, {{"out", buffer}}, Workgroups{1, count_of_all});
    if (!ticket) FAIL(ticket.error().to_string());
    REQUIRE(ticket->wait());
    const auto words = *buffer.read_all<std::uint32_t>();
    for (std::uint32_t i = 0; i < count_of_all; ++i) REQUIRE(words[i] == i + count_of_all);
    CHECK(machine.fake.calls("cuLaunchKernel") == 2);
}

TEST_CASE("thousands in flight, each after the one before") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        Session session = machine.session();
        const Kernel kernel = prepared(session, test::saxpy());
        Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
        for (int i = 0; i < 2000; ++i)
            REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
        CHECK(y.read_all<float>()->back() == 2000.0f);
        if (!way.timestamps) CHECK(machine.fake.calls("cuEventCreate") < 200);  // launches share events
    }
}

TEST_CASE(
    "without timestamps launches that nobody asks about share an event, and each tells that it has ended") {
    Machine machine;
    machine.timestamps = false;
    machine.fake.pace = 100us;
    Bench bench(machine);
    std::vector<std::shared_ptr<Submission>> jobs;
    const std::uint64_t before = machine.fake.calls("cuEventRecord");
    for (std::uint32_t i = 0; i < 2 * Queue::most_in_batch + 6; ++i) jobs.push_back(bench.submit());
    CHECK(machine.fake.calls("cuEventRecord") - before < 10);
    CHECK_FALSE(jobs.back()->done());
    CHECK(jobs.back()->wait(60s));
    for (const auto& job : jobs) {
        REQUIRE(job->done());
        CHECK(job->wait(0s));
    }
    CHECK(bench.result() == 2 * Queue::most_in_batch + 6);
}

TEST_CASE("a launch's time is its own, whenever somebody asks, and however many are before it") {
    Machine machine;
    machine.fake.pace = 2ms;  // for each copy, event and kernel
    Bench bench(machine);
    const auto alone = bench.submit();
    machine.fake.rest(500ms);
    const auto late = alone->wait(10s);
    REQUIRE(late);
    CHECK(late->device_ns > 1'000'000);
    CHECK(late->device_ns < 400'000'000);
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(bench.submit());
    machine.fake.rest(500ms);
    for (const auto& job : jobs) {
        const auto one = job->wait(10s);
        REQUIRE(one);
        CHECK(one->device_ns > 1'000'000);
        CHECK(one->device_ns < 400'000'000);
    }
}

TEST_CASE("a launch that nobody waits for is known to have ended when it is asked often enough") {
    Machine machine;
    Bench bench(machine);
    const auto job = bench.submit();
    for (int i = 0; i < 10'000 && !job->done(); ++i) std::this_thread::sleep_for(100us);
    CHECK(job->done());
    CHECK(bench.result() == 1.0f);
}

TEST_CASE("an abandoned device answers, and takes nothing more") {
    Machine machine;
    Bench bench(machine);
    const auto job = bench.submit();
    bench.device->abandon();
    const auto end = job->wait(10s);
    CHECK((end || end.error().code == ErrorCode::device_lost));
    CHECK(job->done());
    const auto refused = bench.device->submit({.executable = bench.executable.get(),
                                               .bindings = bench.bound,
                                               .extent = {1, 1, 1},
                                               .grid = {1, 1, 1}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::device_lost);
    machine.fake.drain();  // the kernel goes on, and its resources live as long
}

TEST_CASE(
    "a kernel without an end: the wait times out, copies go on, abandoning gives up, a new session works") {
    Machine machine;
    machine.must_be_clean = false;  // a quarantined device is leaked
    machine.compiler.endless = true;
    Session session = machine.session();
    const Kernel kernel = prepared(session, test::saxpy());
    Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
    Buffer other = *session.buffer(std::vector<float>(64, 3.0f));
    const auto ticket = session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    REQUIRE(ticket);
    const auto late = ticket->wait(30ms);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::timed_out);
    CHECK(late.error().to_string() ==
          "The dispatch on cuda:0 still runs after 30 ms.\nFix: wait longer, or give up with "
          "Ticket::abandon(), which "
          "quarantines the device");
    CHECK(*other.read_all<float>() == std::vector<float>(64, 3.0f));
    CHECK_FALSE(ticket->done());
    ticket->abandon();
    CHECK(ticket->wait().error().code == ErrorCode::device_lost);
    CHECK(y.read_all<float>().error().code == ErrorCode::device_lost);
    {
        machine.compiler.endless = false;
        Session fresh = machine.session();
        const Kernel again = prepared(fresh, test::saxpy());
        Buffer fresh_x = *fresh.buffer(std::vector<float>(64, 1.0f)), fresh_y = *fresh.zeros<float>(64);
        REQUIRE(fresh.dispatch(again, {{"a", 2.0f}, {"x", fresh_x}, {"y", fresh_y}}, Workgroups{1}));
        CHECK(*fresh_y.read_all<float>() == std::vector<float>(64, 2.0f));
    }
    machine.fake.end_endless();
}

TEST_CASE("a hundred sessions at once, from several threads") {
    Machine machine;
    std::atomic<int> right{0};
    {
        std::mutex mutex;
        std::vector<Session> open;  // all of them stay open
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 25; ++i) {
                    Session session = machine.session();
                    auto kernel = session.prepare(test::saxpy());
                    Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
                    auto ticket = session.dispatch(*kernel, {{"a", 3.0f}, {"x", x}, {"y", y}}, Workgroups{1});
                    const auto result = y.read_all<float>();
                    if (ticket && result && *result == std::vector<float>(64, 3.0f)) ++right;
                    const std::lock_guard lock(mutex);
                    open.push_back(session);
                }
            });
        threads.clear();
        CHECK(machine.fake.alive_contexts() == 1);
    }
    CHECK(right == 100);
}

TEST_CASE("several threads use one session, whose launches don't see each other's parameters") {
    Machine machine;
    Session session = machine.session();
    const Kernel kernel = prepared(session, test::saxpy());
    std::atomic<int> right{0};
    std::vector<std::jthread> threads;
    for (int t = 1; t <= 4; ++t)
        threads.emplace_back([&, t] {
            Buffer x = *session.buffer(std::vector<float>(64, static_cast<float>(t))),
                   y = *session.zeros<float>(64);
            for (int i = 0; i < 50; ++i)
                if (!session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Workgroups{1})) return;
            const auto result = y.read_all<float>();
            if (result && *result == std::vector<float>(64, 100.0f * static_cast<float>(t))) ++right;
        });
    threads.clear();
    CHECK(right == 4);
}
