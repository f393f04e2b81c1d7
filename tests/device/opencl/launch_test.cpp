// Submissions: what the kernel is given, in order, many in flight, lost.
#include <algorithm>
#include <atomic>
#include <thread>

#include <muster/driver/contract/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;
using namespace std::chrono_literals;

TEST_CASE("a kernel gets memory with its offset and size, a value, the origin and the whole grid") {
    Bench bench;
    const auto kernel = bench.load(copying_text, "copy");
    std::vector<std::uint32_t> numbers(128);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    const auto in = bench.words(numbers), out = bench.words(std::vector<std::uint32_t>(128));
    // The second half of each, of which workgroups 2 to 5 of 7 are run, and the fifth is beyond the binding.
    std::array bound{BoundMemory{in.get(), 256, 5 * 4}, BoundMemory{out.get(), 256, 256}};
    auto job = bench.submit({.executable = kernel.get(),
                             .bindings = bound,
                             .origin = {2, 0, 0},
                             .extent = {4, 1, 1},
                             .grid = {7, 1, 1}});
    auto timing = job->wait(60s);
    if (!timing) FAIL(timing.error().to_string());
    CHECK(timing->device_ns > 0);
    CHECK(timing->device_ns < 10'000'000'000);
    CHECK(job->done());
    std::vector<std::uint32_t> expected(128);
    for (const std::uint32_t i : {2u, 3u, 4u}) expected[64 + i] = 64 + i + 2 + 7000;
    CHECK(bench.read(*out) == expected);

    const std::array<std::uint32_t, 3> values{30, 31, 32};
    bound[0] = {.bytes = sizeof values, .value = std::as_bytes(std::span(values)).data()};
    bound[1] = {out.get(), 0, 256};
    job =
        bench.submit({.executable = kernel.get(), .bindings = bound, .extent = {9, 1, 1}, .grid = {9, 1, 1}});
    REQUIRE(job->wait(60s));
    for (const std::uint32_t i : {0u, 1u, 2u}) expected[i] = 9030 + i;
    CHECK(bench.read(*out) == expected);
}

TEST_CASE("saxpy, and thousands in flight, each after the one before") {
    Session session = opencl::session();
    const Kernel kernel = prepared(session, test::saxpy());
    Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
    for (int i = 0; i < 2000; ++i)
        REQUIRE(session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
    CHECK(y.read_all<float>()->back() == 2000.0f);
}

TEST_CASE("memory that was allocated just now is zero to a launch") {
    Bench bench;
    const auto kernel = bench.load(copying_text, "copy");
    for (int turn = 0; turn < 20; ++turn) {
        const auto in = *bench.device->allocate(16 << 20), out = *bench.device->allocate(16 << 20);
        const std::array bound{BoundMemory{in.get(), 0, 16 << 20}, BoundMemory{out.get(), 0, 16 << 20}};
        const auto job = bench.submit({.executable = kernel.get(),
                                       .bindings = bound,
                                       .origin = {(4 << 20) - 1, 0, 0},
                                       .extent = {1, 1, 1},
                                       .grid = {0, 1, 1}});
        REQUIRE(job->wait(60s));
        std::uint32_t last = 0;
        REQUIRE(bench.device->read(*out, (16 << 20) - 4, std::as_writable_bytes(std::span(&last, 1))));
        CHECK(last == (4 << 20) - 1);
    }
}

TEST_CASE("an abandoned device answers, and takes nothing more") {
    Bench bench;
    const auto kernel = bench.load(counting_text, "count");
    const auto n = bench.words({0, 300'000'000});
    const std::array bound{BoundMemory{n.get(), 0, 8}};
    const Launch launch{
        .executable = kernel.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}};
    const auto job = bench.submit(launch);
    CHECK(job->wait(1ms).error().code == ErrorCode::timed_out);
    CHECK_FALSE(job->done());
    bench.device->abandon();
    const auto end = job->wait(10s);
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
    CHECK(job->done());
    const auto refused = bench.device->submit(launch);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::device_lost);
}

TEST_CASE("a launch that fails on the device loses it: this launch, and all that follow") {
    static Api api = **process_api();
    api.clGetEventInfo.pointer = [](cl_event event, cl_event_info which, std::size_t bytes, void* to,
                                    std::size_t* needed) {
        const cl_int code = (*process_api())->clGetEventInfo.pointer(event, which, bytes, to, needed);
        if (*static_cast<cl_int*>(to) == CL_COMPLETE) *static_cast<cl_int*>(to) = CL_OUT_OF_RESOURCES;
        return code;
    };
    OpenClBackend backend([]() -> Result<std::shared_ptr<const Api>> {
        return std::shared_ptr<const Api>(std::shared_ptr<void>(), &api);
    });
    const auto device = *backend.open(0);
    const auto kernel = *device->load(artifact_of(counting_text, "count"));
    const auto n = *device->allocate(8);
    const std::array bound{BoundMemory{n.get(), 0, 8}};
    const Launch launch{
        .executable = kernel.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}};
    const auto submitted = device->submit(launch);
    REQUIRE(submitted);
    const auto end = std::get<std::shared_ptr<Submission>>(*submitted)->wait(60s);
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
    CHECK(end.error().message == "The kernel has failed. OpenCL says: CL_OUT_OF_RESOURCES.");
    CHECK(device->submit(launch).error().code == ErrorCode::device_lost);
}

TEST_CASE("each call of OpenCL's fails once, in turn: the error names it, and later calls work") {
    std::string struck;
    const auto from_nothing = [&](int which) -> Result<std::uint32_t> {
        int seen = 0;
        struck.clear();
        const PlantedFaults faults([&](std::string_view call) -> std::optional<Error> {
            if (seen++ != which) return std::nullopt;
            struck = call;
            return Error{ErrorCode::out_of_memory, "Planted.", {}, {}};
        });
        OpenClBackend backend;
        const auto device = TRY(backend.open(0));
        const auto kernel = TRY(device->load(TRY(device->compile(test::saxpy(), {}))));
        const auto x = TRY(device->allocate(256)), y = TRY(device->allocate(256));
        const float six = 6.0f, seven = 7.0f;
        TRY(device->write(*x, 0, std::as_bytes(std::span(&seven, 1))));
        const std::array bound{BoundMemory{.bytes = 4, .value = std::as_bytes(std::span(&six, 1)).data()},
                               BoundMemory{x.get(), 0, 256}, BoundMemory{y.get(), 0, 256}};
        const auto submitted = TRY(device->submit(
            {.executable = kernel.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}}));
        TRY(std::get<std::shared_ptr<Submission>>(submitted)->wait(60s));
        float result = 0;
        TRY(device->read(*y, 0, std::as_writable_bytes(std::span(&result, 1))));
        return static_cast<std::uint32_t>(result);
    };
    // An answer that is asked for again isn't missed, nor a launch's time.
    // The result is right without these two: a status that can't be read is asked for again, and times are optional.
    const std::array<std::string, 2> may_fail{"clGetEventInfo", "clGetEventProfilingInfo"};
    // Three more ask for what helps schedulers, which may stay unknown: units, clock and shared memory.
    int unknown = 0;
    for (int which = 0;; ++which) {
        const auto result = from_nothing(which);
        if (result) CHECK(result == 42u);
        if (result && struck == "clGetDeviceInfo" && ++unknown <= 3) continue;
        if (struck.empty()) {
            CHECK(which > 30);
            CHECK(unknown == 3);
            break;
        }
        if (result && std::ranges::find(may_fail, struck) == may_fail.end()) FAIL_CHECK(struck);
        if (!result && result.error().to_string().find(struck) == std::string::npos)
            FAIL_CHECK(struck << ": " << result.error().to_string());
    }
}

TEST_CASE("sessions that several threads dispatch on") {
    Session session = opencl::session();
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
