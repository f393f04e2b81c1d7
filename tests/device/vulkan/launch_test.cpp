// Submissions: in order, many in flight, folded, timed.
#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include <muster/backend-vulkan/device/batch.hpp>
#include <muster/driver/contract/check.hpp>

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
        if (options.timestamps) REQUIRE(timing->device_ns);  // the host may have missed the end
        CHECK(timing->device_ns.value_or(1) > 0);
        CHECK(timing->device_ns.value_or(1) < 10'000'000'000);
        const auto result = *y.read_all<float>();
        for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == 2.0f * host_x[i] + 1.0f);
    }
}

namespace {

/// Submits equal launches of `rows` rows, waits for the last one and checks that no time but their own is given. Returns false
/// if the first one ended before the others were submitted.
bool times_are_own(const VulkanOptions& options, std::uint32_t rows) {
    Bench bench(options);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 6; ++i) jobs.push_back(bench.submit_idle(rows));
    if (jobs.front()->done()) return false;
    REQUIRE(jobs.back()->wait(60s));
    const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - begin;
    std::uint64_t sum_ns = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto timing = jobs[i]->wait(0s);
        REQUIRE(timing);
        sum_ns += timing->device_ns.value_or(0);
        CHECK(timing->device_ns.has_value() == options.timestamps);  // the host sees only the end of all
    }
    CHECK(sum_ns <= static_cast<std::uint64_t>(wall.count()));
    return true;
}

}  // namespace

TEST_CASE("a launch that gathers behind others has a time of its own, or none") {
    for (const VulkanOptions& options : ways) {
        std::uint32_t rows = 20;
        while (!times_are_own(options, rows) && rows < 20'000) rows *= 4;
        CHECK(rows < 20'000);
    }
}

TEST_CASE("a launch whose end nobody saw has no time of the host's clock") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        const auto job = bench.submit_idle(1);
        for (int i = 0; i < 10'000 && !job->done(); ++i) std::this_thread::sleep_for(5ms);
        std::this_thread::sleep_for(5ms);
        const auto end = job->wait(60s);
        REQUIRE(end);
        CHECK(end->device_ns.has_value() == options.timestamps);
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
    constexpr std::uint32_t count_of_all = 70'000;  // lavapipe's maximum along an axis is 65,535
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

namespace {

/// Submits two full batches behind a long launch of `rows` rows, and returns the number of command buffers
/// recorded. Launch number `differs` has other bindings. Returns nothing if the long launch ended before all
/// others were submitted, since then their batches vary.
std::optional<int> recorded_behind(Bench& bench, std::uint32_t rows, std::uint32_t differs) {
    int recorded = 0;
    std::vector<std::shared_ptr<Submission>> jobs;
    bool in_time = false;
    {
        const PlantedFaults watch([&](std::string_view call) -> std::optional<Error> {
            if (call == "vkBeginCommandBuffer") ++recorded;
            return std::nullopt;
        });
        const auto usual = bench.bound;
        jobs.push_back(bench.submit_idle(rows));
        for (std::uint32_t i = 0; i < 2 * Batch::most; ++i) {
            bench.bound = usual;
            if (i == differs) std::swap(bench.bound[0], bench.bound[1]);
            jobs.push_back(bench.submit());
        }
        bench.bound = usual;
        in_time = !jobs.front()->done();
        for (const auto& job : jobs) REQUIRE(job->wait(60s));
    }
    return in_time ? std::optional(recorded) : std::nullopt;
}

/// Returns false if a launch of `rows` rows isn't long enough.
bool gathers_again(const VulkanOptions& options, std::uint32_t rows) {
    Bench bench(options);
    constexpr std::uint32_t none = UINT32_MAX, second_batch = Batch::most + 8;
    std::array<std::optional<int>, 4> recorded;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        recorded[i] = recorded_behind(bench, rows, i < 2 ? none : second_batch);
        CHECK(bench.result() == static_cast<float>((i + 1) * 2 * Batch::most));
        if (!recorded[i]) return false;
    }
    CHECK(recorded[0] >= 3);
    CHECK(recorded[1] == 0);
    CHECK(recorded[2] == 1);
    CHECK(recorded[3] == 0);
    return true;
}

}  // namespace

TEST_CASE("launches that gather again are recorded again where they differ, and only there") {
    for (const VulkanOptions& options : ways) {
        std::uint32_t rows = 2;
        while (!gathers_again(options, rows) && rows < 1000) rows *= 4;
        CHECK(rows < 1000);
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

TEST_CASE("where the device is seen to be lost, who waits is told so at once, and again") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        std::vector<std::shared_ptr<Submission>> jobs;
        for (int i = 0; i < 20; ++i) jobs.push_back(bench.submit(65'535));
        const auto& last = jobs.back();
        CHECK(last->wait(0s).error().code == ErrorCode::timed_out);
        {
            const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
                if (call != "vkGetSemaphoreCounterValue" && call != "vkGetFenceStatus") return std::nullopt;
                return Error{ErrorCode::device_lost, "Planted.", {}, {}};
            });
            CHECK(last->done());
        }
        for (const auto timeout : {0s, 60s}) {
            const auto end = last->wait(timeout);
            REQUIRE_FALSE(end);
            CHECK(end.error().code == ErrorCode::device_lost);
        }
        bench.executable.reset();  // waits for running work all the same
    }
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

// Sessions that open meanwhile: unwatched/sessions_test.cpp.
TEST_CASE("sessions that several threads dispatch on") {
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        std::atomic<int> right{0};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
                for (int i = 0; i < 25; ++i)
                    (void)session.dispatch(kernel, {{"a", 3.0f}, {"x", x}, {"y", y}}, Workgroups{1});
                const auto result = y.read_all<float>();
                if (result && *result == std::vector<float>(64, 75.0f)) ++right;
            });
        threads.clear();
        CHECK(right == 4);
    }
}
