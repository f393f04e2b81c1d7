// Each call of Vulkan's fails once, in turn: the error has its story, nothing leaks (the layer reports objects
// left when the device is destroyed), and later calls work.
#include <array>
#include <vector>

#include <support/strike.hpp>

#include <muster/backend-vulkan/native/instance.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

namespace {

/// Goes from nothing to a result: an instance, its devices, one of them, a kernel, buffers, a launch. Returns 42
/// if all goes well.
Result<float> from_nothing(const VulkanOptions& options) {
    VulkanBackend backend(options);
    TRY(Instance::create());
    TRY(backend.probe());
    const auto device = TRY(backend.open(0));
    const auto executable = TRY(device->load(TRY(device->compile(test::saxpy(), {}))));
    std::array<std::unique_ptr<Memory>, 3> memory;
    for (auto& one : memory) one = TRY(device->allocate(256));
    const float six = 6.0f, seven = 7.0f;
    TRY(device->write(*memory[0], 0, std::as_bytes(std::span(&six, 1))));
    TRY(device->write(*memory[1], 0, std::as_bytes(std::span(&seven, 1))));
    const std::array bound{BoundMemory{memory[0].get(), 0, 4}, BoundMemory{memory[1].get(), 0, 256},
                           BoundMemory{memory[2].get(), 0, 256}};
    const auto submitted = TRY(device->submit(
        {.executable = executable.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}}));
    const auto& job = std::get<std::shared_ptr<Submission>>(submitted);
    auto end = job->wait(std::chrono::seconds(10));
    if (!end && end.error().code == ErrorCode::timed_out)
        end = job->wait(std::chrono::seconds(10));  // still running
    TRY(std::move(end));
    float result = 0;
    TRY(device->read(*memory[2], 0, std::as_writable_bytes(std::span(&result, 1))));
    return result;
}

/// Does the same in a session that exists already.
Result<float> in_session(Session& session, const Kernel& kernel) {
    Buffer x = TRY(session.buffer(std::vector<float>(64, 7.0f))), y = TRY(session.zeros<float>(64));
    const Ticket ticket = TRY(session.dispatch(kernel, {{"a", 6.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
    TRY(ticket.wait());
    return TRY(y.read_all<float>())[63];
}

}  // namespace

TEST_CASE("each call from the instance to the result fails once") {
    for (const VulkanOptions& options : ways)
        for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::device_lost}) {
            int failed = 0;
            for (test::Strike strike{.code = code};; strike.next()) {
                const auto result = [&] {
                    const PlantedFaults faults = strike.plant();
                    return from_nothing(options);
                }();
                if (strike.struck.empty()) break;
                CAPTURE(strike.struck);
                if (result) {  // the backend recovers from this call's failure
                    CHECK(*result == 42.0f);
                } else {
                    ++failed;
                    const bool refused = strike.struck.starts_with("vkCreateComputePipelines") ||
                                         strike.struck.starts_with("volk");
                    if (!refused) CHECK(result.error().code == code);
                }
            }
            CHECK(failed > 15);
            CHECK(from_nothing(options) == 42.0f);
        }
}

TEST_CASE("a session in which each call fails once for want of memory goes on") {
    for (const VulkanOptions& options : ways) {
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        for (test::Strike strike;; strike.next()) {
            const auto struck = [&] {
                const PlantedFaults faults = strike.plant();
                return in_session(session, kernel);
            }();
            if (!struck)
                CHECK_MESSAGE(struck.error().code == ErrorCode::out_of_memory, struck.error().to_string());
            const auto after = in_session(session, kernel);
            if (!after) FAIL(strike.struck, ": ", after.error().to_string());
            CHECK(*after == 42.0f);
            if (strike.struck.empty()) break;
        }
    }
}

TEST_CASE("a device that is lost says so, and a new session works") {
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::saxpy());
    {
        const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
            if (call != "vkQueueSubmit") return std::nullopt;
            return Error{ErrorCode::device_lost, "Planted.", {}, {}};
        });
        const auto lost = in_session(session, kernel);
        REQUIRE_FALSE(lost);
        CHECK(lost.error().code == ErrorCode::device_lost);
    }
    CHECK(in_session(session, kernel).error().code == ErrorCode::device_lost);
    Session fresh = session_of({});
    CHECK(in_session(fresh, prepared(fresh, test::saxpy())) == 42.0f);
}

TEST_CASE("a pipeline that the driver refuses is an error of its own") {
    VulkanBackend backend;
    const auto device = *backend.open(0);
    const auto artifact = device->compile(test::saxpy(), {});
    REQUIRE(artifact);
    {
        const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
            if (call != "vkCreateComputePipelines") return std::nullopt;
            return Error{ErrorCode::internal, "Planted.", {}, {}};
        });
        const auto refused = device->load(*artifact);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::compile_failed);
        CHECK(refused.error().to_string() == "Planted.\n  while calling vkCreateComputePipelines");
    }
    CHECK(device->load(*artifact));
    Artifact wrong = *artifact;
    wrong.format = "ptx";
    CHECK(device->load(wrong).error().code == ErrorCode::invalid_argument);
}

TEST_CASE(
    "on a processor a pipeline is dispatched when it is loaded, since that compiles it, and not behind what "
    "runs") {
    Bench bench({});
    if (bench.device->info().kind != DeviceKind::cpu) return;
    const auto artifact = bench.device->compile(test::saxpy(), {});
    REQUIRE(artifact);
    {
        int submitted = 0;
        const PlantedFaults none([&](std::string_view call) -> std::optional<Error> {
            if (call.starts_with("vkQueueSubmit")) ++submitted;
            return std::nullopt;
        });
        CHECK(bench.device->load(*artifact));
        CHECK(submitted == 1);
    }
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(bench.submit(65'535));
    CHECK(bench.device->load(*artifact));
    CHECK_FALSE(jobs.back()->done());
    for (const auto& job : jobs) CHECK(job->wait(60s));
}

TEST_CASE("a pipeline that the driver refuses is refused at once, whatever runs") {
    Bench bench({});
    const auto artifact = bench.device->compile(test::saxpy(), {});
    REQUIRE(artifact);
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(bench.submit(65'535));
    CHECK(jobs.back()->wait(0s).error().code == ErrorCode::timed_out);  // all are submitted
    {
        const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
            if (call != "vkCreateComputePipelines") return std::nullopt;
            return Error{ErrorCode::internal, "Planted.", {}, {}};
        });
        CHECK_FALSE(bench.device->load(*artifact));
    }
    CHECK_FALSE(jobs.back()->done());
    for (const auto& job : jobs) CHECK(job->wait(60s));
}

TEST_CASE("an artifact loads from its bytes, as emitted") {
    VulkanBackend backend;
    const auto target = backend.describe("vulkan1.1");
    REQUIRE(target);
    const auto artifact = backend.emit(test::saxpy(), *target, {.format = "spirv"});
    REQUIRE(artifact);
    CHECK_FALSE(artifact->in_process);
    const auto device = *backend.open(0);
    // An exact module requires it, and an emitted one can't know that this device doesn't have it.
    if (device->info().exactness.round_to_nearest_even != Promise::promised) return;
    CHECK(device->load(*artifact));
}
