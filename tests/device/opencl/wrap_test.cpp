// The caller's memory in place: what is mapped when, what uses it, when it is let go of, and what happens where it can't be used.
#include <optional>
#include <string>
#include <vector>

#include <support/callers_array.hpp>
#include <support/let_go.hpp>

#include <muster/backend-opencl/device/device.hpp>
#include <muster/backend-opencl/native/physical_device.hpp>
#include <muster/driver/contract/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t count = 20'000, some = 64 << 10;
using Words = test::CallersArray<std::uint32_t>;
using Floats = test::CallersArray<float>;

PhysicalDevice first_device() { return physical_devices(*process_api())->front(); }
std::span<std::byte> some_bytes(const Words& words) { return words.bytes().first(some); }

/// A device with a kernel on the caller's memory: adds 1 to the first word, as many times as the second says.
struct CountingBench : Bench {
    CountingBench() : executable(load(counting_text, "count")), memory(*device->wrap(some_bytes(words))) {
        words.all()[0] = 0;
        if (memory) bindings[0] = {.memory = memory.get(), .offset = 0, .bytes = some};
    }
    Result<Submitted> submit_one() {
        return device->submit(
            {.executable = executable.get(), .bindings = bindings, .extent = {1, 1, 1}, .grid = {1, 1, 1}});
    }
    Words words{count, 0, 1};
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Memory> memory;  // null: the device has memory of its own
    std::array<BoundMemory, 1> bindings;
};

/// Fails the first call of this name.
struct Strike {
    std::string name;
    int left = 1;
    std::vector<std::string> calls = {};
    PlantedFaults plant() {
        return PlantedFaults([this](std::string_view call) -> std::optional<Error> {
            if (call.starts_with("clEnqueue")) calls.emplace_back(call);
            if (call != name || left-- <= 0) return std::nullopt;
            return Error{ErrorCode::out_of_memory, "Planted.", {}, {}};
        });
    }
};

}  // namespace

TEST_CASE(
    "processors use the caller's memory in place if it is aligned, GPUs if it has whole pages and lines") {
    const Words words(count, 0, 1);
    const PhysicalDevice first = first_device();
    if (first.info.kind == DeviceKind::cpu) CHECK(first.wrapped_alignment >= 128);  // as OpenCL demands
    PhysicalDevice device{.max_allocation_bytes = 4 * count, .wrapped_alignment = 128};
    device.info.kind = DeviceKind::cpu;
    CHECK(device.can_wrap(words.bytes()));
    CHECK(device.can_wrap(words.bytes().subspan(128, some + 3)));
    CHECK_FALSE(device.can_wrap(words.bytes().first(some - 1)));
    CHECK_FALSE(device.can_wrap(words.bytes().subspan(64)));
    device.info.kind = DeviceKind::integrated_gpu;
    CHECK(device.can_wrap(words.bytes().first(some)));
    CHECK_FALSE(device.can_wrap(words.bytes().first(some + 1)));
    device.max_allocation_bytes = 4 * count - 1;
    CHECK_FALSE(device.can_wrap(words.bytes()));
    device = {.max_allocation_bytes = 4 * count};
    CHECK_FALSE(device.can_wrap(words.bytes()));
}

TEST_CASE("results are in the caller's memory after sync(), in place or not") {
    Session on_device = session();
    const Kernel kernel = prepared(on_device, test::saxpy());
    for (const std::size_t after : {0u, 16u, 1024u}) {
        CAPTURE(after);
        const Floats x(count, 0, 1.0f), y(count, after, 1.0f);
        Buffer over_x = *on_device.buffer_over(x.all()), over_y = *on_device.buffer_over(y.all());
        for (const float given : {1.0f, 5.0f, 0.0f}) {
            y.fill(given);  // the caller's again
            const Argument arguments[] = {{"a", 2.0f}, {"x", over_x}, {"y", over_y}};
            REQUIRE(on_device.dispatch(kernel, arguments, Invocations{count}));
            CHECK(over_y.is_in_place() == first_device().can_wrap(y.bytes()));
            REQUIRE(over_x.sync());
            REQUIRE(over_y.sync());
            CHECK(y.holds(2.0f * x.all()[0] + given));
            x.fill(given + 1.0f);
        }
        CHECK(x.is_intact_around());
        CHECK(y.is_intact_around());
    }
}

TEST_CASE(
    "the memory is unmapped before a launch, and mapped behind it, once for each launch that binds it") {
    CountingBench bench;
    if (!bench.memory) return;
    const auto copying = bench.load(copying_text, "copy");
    const std::array twice{BoundMemory{bench.memory.get(), 0, 256},
                           BoundMemory{bench.memory.get(), 256, 256}};
    Strike none{.name = ""};
    {
        const PlantedFaults faults = none.plant();
        const auto job = bench.submit(
            {.executable = copying.get(), .bindings = twice, .extent = {64, 1, 1}, .grid = {64, 1, 1}});
        CHECK(job->wait(60s));
    }
    CHECK(none.calls == std::vector<std::string>{"clEnqueueUnmapMemObject", "clEnqueueNDRangeKernel",
                                                 "clEnqueueMapBuffer"});
    CHECK(bench.words.all()[63] == 1);
    CHECK(bench.words.all()[64] == 64'000);
    CHECK(bench.words.all()[65] == 64'001);
    CHECK(bench.words.all()[127] == 64'001);
    CHECK(bench.words.all()[128] == 1);
}

TEST_CASE("reads and writes reach the memory, and many launches in flight change it in order") {
    CountingBench bench;
    if (!bench.memory) return;
    CHECK(bench.memory->bytes() == some);
    const std::array<std::uint32_t, 2> given{100, 7};
    REQUIRE(bench.device->write(*bench.memory, 0, std::as_bytes(std::span(given))));
    CHECK(bench.words.all()[1] == 7);
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 300; ++i) jobs.push_back(std::get<std::shared_ptr<Submission>>(*bench.submit_one()));
    for (const auto& job : jobs) {
        const auto ended = job->wait(60s);
        REQUIRE(ended);
        CHECK(ended->device_ns > 0);
    }
    CHECK(bench.words.all()[0] == 100 + 7 * 300);
    CHECK(bench.read(*bench.memory).at(0) == 100 + 7 * 300);
    CHECK(bench.words.is_intact_around());
}

TEST_CASE("memory whose buffer is let go of stays until the device has done with it") {
    test::check_let_go(session(), count);
}

namespace {

std::vector<std::string> ends;
std::shared_ptr<const Api> real_api;

/// OpenCL's functions; those that end the use of memory are noted.
std::shared_ptr<const Api> noting_api() {
    real_api = *process_api();
    auto noting = std::make_shared<Api>(*real_api);
    noting->clEnqueueUnmapMemObject.pointer = [](cl_command_queue queue, cl_mem memory, void* address,
                                                 cl_uint count_before, const cl_event* before,
                                                 cl_event* event) {
        ends.emplace_back("unmapped");
        return real_api->clEnqueueUnmapMemObject.pointer(queue, memory, address, count_before, before, event);
    };
    noting->clReleaseMemObject.pointer = [](cl_mem memory) {
        ends.emplace_back("released");
        return real_api->clReleaseMemObject.pointer(memory);
    };
    return noting;
}

}  // namespace

TEST_CASE("memory is unmapped before it is released: pocl keeps what is mapped") {
    const auto device = OpenClDevice::open(physical_devices(noting_api())->front());
    REQUIRE(device);
    const Words words(count, 0, 1);
    ends.clear();
    if (!*(*device)->wrap(words.bytes())) return;
    CHECK(ends == std::vector<std::string>{"unmapped", "released"});
}

TEST_CASE("memory that OpenCL doesn't take is copied") {
    Bench bench;
    const Words words(count, 0, 1);
    if (!first_device().can_wrap(words.bytes())) return;
    for (const char* call : {"clCreateBuffer", "clEnqueueMapBuffer"}) {
        Strike strike{.name = call};
        {
            const PlantedFaults faults = strike.plant();
            CHECK(*bench.device->wrap(words.bytes()) == nullptr);
        }
        CHECK(strike.left == 0);
        CHECK(*bench.device->wrap(words.bytes()) != nullptr);
    }
}

TEST_CASE("after a launch that can't be enqueued the host has its memory, and later launches run") {
    CountingBench bench;
    if (!bench.memory) return;
    for (const char* call : {"clEnqueueUnmapMemObject", "clEnqueueNDRangeKernel"}) {
        CAPTURE(call);
        bench.words.all()[0] = 5;
        Strike strike{.name = call};
        {
            const PlantedFaults faults = strike.plant();
            const auto refused = bench.submit_one();
            REQUIRE_FALSE(refused);
            CHECK(refused.error().to_string() == std::string("Planted.\n  while calling ") + call);
        }
        CHECK(bench.words.all()[0] == 5);
        const auto submitted = bench.submit_one();
        REQUIRE(submitted);
        CHECK(std::get<std::shared_ptr<Submission>>(*submitted)->wait(60s));
        CHECK(bench.words.all()[0] == 6);
    }
}

TEST_CASE("a device that can't give the memory back is lost, and no kernel runs on with it") {
    CountingBench bench;
    if (!bench.memory) return;
    bench.words.all()[1] = 100'000;
    Strike strike{.name = "clEnqueueMapBuffer"};
    {
        const PlantedFaults faults = strike.plant();
        const auto refused = bench.submit_one();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::device_lost);
        CHECK(refused.error().to_string() == "Planted.\n  while calling clEnqueueMapBuffer");
    }
    CHECK(bench.words.all()[0] == 100'000);
    CHECK(bench.submit_one().error().code == ErrorCode::device_lost);
    CountingBench fresh;
    const auto submitted = fresh.submit_one();
    REQUIRE(submitted);
    CHECK(std::get<std::shared_ptr<Submission>>(*submitted)->wait(60s));
    CHECK(fresh.words.all()[0] == 1);
}
