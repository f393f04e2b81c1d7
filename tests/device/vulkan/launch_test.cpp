// Submissions: in order, many in flight, folded, timed.
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <muster/backend-vulkan/batch.hpp>
#include <muster/driver/check.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

TEST_CASE("saxpy, in each way") {
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        std::vector<float> host_x(100'000), host_y(host_x.size(), 1.0f);
        std::iota(host_x.begin(), host_x.end(), 0.0f);
        Buffer x = *session.buffer(host_x), y = *session.buffer(host_y);
        auto ticket = session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Invocations{host_x.size()});
        if (!ticket) FAIL(ticket.error().to_string());
        const auto timing = ticket->wait();
        if (!timing) FAIL(timing.error().to_string());
        CHECK(timing->device_ns > 0);
        CHECK(timing->device_ns < 10'000'000'000);
        const auto result = *y.read_all<float>();
        for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == 2.0f * host_x[i] + 1.0f);
    }
}

TEST_CASE("a grid over the device's limit sees one num_workgroups and every workgroup_id") {
    IrBuilder ir("ids", {1, 1, 1});
    const VariableId out = ir.variable(
        {.name = "out", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId id = ir.extract(ir.builtin(Builtin::workgroup_id), 0);
    const NodeId count = ir.extract(ir.builtin(Builtin::num_workgroups), 0);
    ir.store(ir.ref_index(ir.ref(out), id), ir.binary(Op::add, id, count));
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::valid(std::move(ir)));
    constexpr std::uint32_t count_of_all = 70'000;  // lavapipe takes 65,535 along an axis
    Buffer buffer = *session.zeros<std::uint32_t>(count_of_all);
    auto ticket = session.dispatch(kernel, {{"out", buffer}}, Workgroups{count_of_all});
    if (!ticket) FAIL(ticket.error().to_string());
    REQUIRE(ticket->wait());
    const auto words = *buffer.read_all<std::uint32_t>();
    for (std::uint32_t i = 0; i < count_of_all; ++i) REQUIRE(words[i] == i + count_of_all);
}

TEST_CASE("thousands in flight, each after the one before") {
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
        for (int i = 0; i < 2000; ++i)
            REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
        CHECK(y.read_all<float>()->back() == 2000.0f);
    }
}

TEST_CASE(
    "launches gather behind a long one, each after the one before, and run though nobody waits for them") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        std::atomic<int> submissions = 0;
        std::vector<std::shared_ptr<Submission>> jobs;
        {
            const PlantedFaults watch([&](std::string_view call) -> std::optional<Error> {
                if (call == "vkQueueSubmit") ++submissions;
                return std::nullopt;
            });
            jobs.push_back(bench.submit(30'000));
            for (std::uint32_t i = 0; i < 2 * Batch::most + 6; ++i) jobs.push_back(bench.submit());
            for (int i = 0; i < 2000 && submissions < 4; ++i) std::this_thread::sleep_for(5ms);
        }
        CHECK(submissions >= 4);  // the long one, two full batches, the rest
        CHECK(submissions < 30);
        CHECK(jobs.back()->wait(60s));
        for (const auto& job : jobs) {
            REQUIRE(job->done());
            CHECK(job->wait(0s));
        }
        CHECK(bench.result() == 2 * Batch::most + 7);
    }
}

TEST_CASE("launches that gather again are recorded again where they differ, and only there") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        const auto usual = bench.bound;
        constexpr float launches = 2 * Batch::most + 1;
        // Two full batches behind a long launch; how many command buffers were recorded.
        const auto run = [&](std::uint32_t differs) {
            int recorded = 0;
            const PlantedFaults watch([&](std::string_view call) -> std::optional<Error> {
                if (call == "vkBeginCommandBuffer") ++recorded;
                return std::nullopt;
            });
            std::vector<std::shared_ptr<Submission>> jobs{bench.submit(30'000)};
            for (std::uint32_t i = 0; i < 2 * Batch::most; ++i) {
                bench.bound = usual;
                if (i == differs) std::swap(bench.bound[0], bench.bound[1]);
                jobs.push_back(bench.submit());
            }
            bench.bound = usual;
            for (const auto& job : jobs) REQUIRE(job->wait(60s));
            return recorded;
        };
        CHECK(run(UINT32_MAX) >= 3);
        CHECK(bench.result() == 1 * launches);
        CHECK(run(UINT32_MAX) == 0);
        CHECK(bench.result() == 2 * launches);
        CHECK(run(Batch::most + 8) == 1);
        CHECK(bench.result() == 3 * launches);
        CHECK(run(Batch::most + 8) == 0);
        CHECK(bench.result() == 4 * launches);
    }
}

TEST_CASE("launches that take turns with their buffers, some waited for and some not") {
    Bench bench({});
    const auto forwards = bench.bound;
    auto backwards = bench.bound;
    std::swap(backwards[1].memory, backwards[2].memory);
    float x = 1.0f, y = 0.0f;
    for (int i = 0; i < 30; ++i) {
        bench.bound = i % 2 == 0 ? forwards : backwards;
        (i % 2 == 0 ? y : x) += i % 2 == 0 ? x : y;
        const auto job = bench.submit();
        if (i % 7 == 0) CHECK(job->wait(10s));
    }
    bench.bound = forwards;
    CHECK(bench.submit()->wait(10s));
    CHECK(bench.result() == x + y);
}

TEST_CASE("an abandoned device answers, and takes nothing more") {
    Bench bench({});
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
}

TEST_CASE("a hundred sessions at once, from several threads") {
    std::vector<std::jthread> threads;
    std::atomic<int> right{0};
    std::mutex mutex;
    std::vector<Session> open;  // all of them stay open
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i) {
                Session session = session_of({});
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
    CHECK(right == 100);
}
