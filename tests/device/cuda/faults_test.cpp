// Each call of CUDA's fails once, in turn: the error names it, nothing leaks, and later calls work.
#include <array>
#include <vector>

#include <muster/backend-cuda/native/check.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace std::chrono_literals;

namespace {

/// The call that fails: the `which`-th one, with this code. A code that loses the device breaks its context,
/// too.
struct Strike {
    test::FakeDriver& fake;
    ErrorCode code = ErrorCode::out_of_memory;
    int which = 0;
    int seen = 0;
    std::string struck = {};

    PlantedFaults plant() {
        seen = 0;
        struck.clear();
        return PlantedFaults([this](std::string_view call) -> std::optional<Error> {
            if (seen++ != which) return std::nullopt;
            struck = call;
            if (code == ErrorCode::device_lost) fake.break_contexts(CUDA_ERROR_ILLEGAL_ADDRESS);
            return Error{code, "Planted.", {}, {}};
        });
    }
    std::string story() const { return "while calling " + struck; }
};

/// Goes from nothing to a result: an instance, its devices, one of them, a kernel, buffers, a launch. Returns 42
/// if all goes well.
Result<float> from_nothing(const CudaOptions& options) {
    CudaBackend backend(options);
    TRY(backend.probe());
    const auto device = TRY(backend.open(0));
    const auto executable = TRY(device->load(TRY(device->compile(test::saxpy(), {}))));
    std::array<std::unique_ptr<Memory>, 2> memory;
    for (auto& one : memory) one = TRY(device->allocate(256));
    const float six = 6.0f, seven = 7.0f;
    TRY(device->write(*memory[0], 0, std::as_bytes(std::span(&seven, 1))));
    const std::array bound{BoundMemory{nullptr, 0, 4, reinterpret_cast<const std::byte*>(&six)},
                           BoundMemory{memory[0].get(), 0, 256}, BoundMemory{memory[1].get(), 0, 256}};
    const auto submitted = TRY(device->submit(
        {.executable = executable.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}}));
    TRY(std::get<std::shared_ptr<Submission>>(submitted)->wait(10s));
    float result = 0;
    TRY(device->read(*memory[1], 0, std::as_writable_bytes(std::span(&result, 1))));
    return result;
}

/// Does the same in a session that exists already.
Result<float> in_session(Session& session, const Kernel& kernel) {
    Buffer x = TRY(session.buffer(std::vector<float>(64, 7.0f))), y = TRY(session.zeros<float>(64));
    const Ticket ticket = TRY(session.dispatch(kernel, {{"a", 6.0f}, {"x", x}, {"y", y}}, Workgroups{1}));
    TRY(ticket.wait());
    return TRY(y.read_all<float>())[63];
}

/// Runs a test with both ways to pass a value, and each way of kit.hpp.
template <class Test>
void in_each_way(Test&& test) {
    for (const std::uint32_t most_value_bytes : {256u, 0u})
        for (const Way& way : ways) {
            Machine machine;
            way.set(machine);
            machine.compiler.most_value_bytes = most_value_bytes;
            test(machine);
        }
}

}  // namespace

TEST_CASE("each call from the instance to the result fails once") {
    for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::unsupported, ErrorCode::device_lost})
        in_each_way([&](Machine& machine) {
            int failed = 0;
            for (Strike strike{.fake = machine.fake, .code = code};; ++strike.which) {
                const auto result = [&] {
                    const PlantedFaults faults = strike.plant();
                    return from_nothing(machine.options());
                }();
                if (strike.struck.empty()) break;
                CAPTURE(strike.struck);
                if (result) {  // the backend recovers from this call's failure
                    CHECK(*result == 42.0f);
                } else {
                    ++failed;
                    CAPTURE(result.error().to_string());
                    if (code != ErrorCode::device_lost) {
                        CHECK(result.error().code == code);
                        CHECK(result.error().to_string().find(strike.story()) != std::string::npos);
                    } else {
                        const bool opened = result.error().code == ErrorCode::device_lost;
                        CHECK((opened || result.error().code == ErrorCode::unavailable));
                    }
                }
                CHECK(from_nothing(machine.options()) == 42.0f);
            }
            CHECK(failed > 15);
        });
}

TEST_CASE("a session in which each call fails once for want of memory goes on") {
    in_each_way([](Machine& machine) {
        Session session = machine.session();
        const Kernel kernel = prepared(session, test::saxpy());
        for (Strike strike{.fake = machine.fake};; ++strike.which) {
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
    });
}

TEST_CASE("a session in which any call loses the device says so, and a new one works") {
    in_each_way([](Machine& machine) {
        for (Strike strike{.fake = machine.fake, .code = ErrorCode::device_lost};; ++strike.which) {
            Session session = machine.session();
            const Kernel kernel = prepared(session, test::saxpy());
            const auto lost = [&] {
                const PlantedFaults faults = strike.plant();
                return in_session(session, kernel);
            }();
            if (strike.struck.empty()) break;
            CAPTURE(strike.struck);
            if (!lost) CHECK(lost.error().code == ErrorCode::device_lost);
            const auto after = in_session(session, kernel);
            REQUIRE_FALSE(after);
            CHECK(after.error().code == ErrorCode::device_lost);
            Session fresh = machine.session();
            CHECK(in_session(fresh, prepared(fresh, test::saxpy())) == 42.0f);
        }
    });
}

TEST_CASE("a kernel that fails loses the device for all sessions, and new ones work, time and again") {
    Machine machine;
    for (const CUresult how :
         {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_MISALIGNED_ADDRESS,
          CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ECC_UNCORRECTABLE}) {
        Session bystander = machine.session(), culprit = machine.session();
        const Kernel fine = prepared(bystander, test::saxpy());
        CHECK(in_session(bystander, fine) == 42.0f);
        machine.compiler.outcome = how;
        const Kernel fails = prepared(culprit, test::saxpy());
        machine.compiler.outcome = CUDA_SUCCESS;
        const auto lost = in_session(culprit, fails);
        REQUIRE_FALSE(lost);
        CHECK(lost.error().code == ErrorCode::device_lost);
        const auto beside = in_session(bystander, fine);
        REQUIRE_FALSE(beside);
        CHECK(beside.error().code == ErrorCode::device_lost);
        Session fresh = machine.session();
        CHECK(in_session(fresh, prepared(fresh, test::saxpy())) == 42.0f);
        CHECK(in_session(culprit, fails).error().code == ErrorCode::device_lost);
        CHECK(in_session(fresh, prepared(fresh, test::saxpy())) == 42.0f);
    }
    CHECK(machine.fake.calls("cuDevicePrimaryCtxReset") == 6);
}

TEST_CASE("a context that a reset doesn't mend is an error that says what does") {
    Machine machine;
    machine.fake.resets = false;
    Session session = machine.session();
    machine.compiler.outcome = CUDA_ERROR_ILLEGAL_ADDRESS;
    CHECK_FALSE(in_session(session, prepared(session, test::saxpy())));
    const auto refused = machine.backend()->open(0);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().to_string() ==
          "CUDA says: CUDA_ERROR_ILLEGAL_ADDRESS.\n  while calling cuDevicePrimaryCtxReset\nFix: restart the "
          "process: a "
          "kernel has failed in it, and resetting CUDA's context doesn't help here");
}

TEST_CASE("a primary context that another has broken is reset, too") {
    for (const bool retains_broken : {false, true}) {
        Machine machine;
        machine.fake.retains_broken = retains_broken;
        CUcontext others = nullptr;
        REQUIRE(machine.fake.table().cuDevicePrimaryCtxRetain(&others, 0) == CUDA_SUCCESS);
        machine.fake.break_contexts(CUDA_ERROR_LAUNCH_FAILED);
        CHECK(from_nothing(machine.options()) == 42.0f);
    }
}

TEST_CASE("codes: each class its own, the names as cuda.h has them") {
    const auto code_of = [](CUresult result) { return translate(result)->code; };
    CHECK_FALSE(translate(CUDA_SUCCESS));
    CHECK(code_of(CUDA_ERROR_OUT_OF_MEMORY) == ErrorCode::out_of_memory);
    CHECK(code_of(CUDA_ERROR_NOT_READY) == ErrorCode::timed_out);
    CHECK(code_of(CUDA_ERROR_ILLEGAL_ADDRESS) == ErrorCode::device_lost);
    CHECK(code_of(CUDA_ERROR_LAUNCH_FAILED) == ErrorCode::device_lost);
    CHECK(code_of(CUDA_ERROR_ECC_UNCORRECTABLE) == ErrorCode::device_lost);
    CHECK(code_of(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) == ErrorCode::limit_exceeded);
    CHECK(code_of(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) == ErrorCode::compile_failed);
    CHECK(code_of(CUDA_ERROR_INVALID_VALUE) == ErrorCode::internal);
    CHECK(translate(CUDA_ERROR_MISALIGNED_ADDRESS)->message == "CUDA says: CUDA_ERROR_MISALIGNED_ADDRESS.");
    CHECK(translate(CUDA_ERROR_INVALID_VALUE)->message == "CUDA says: CUresult 1.");
}
