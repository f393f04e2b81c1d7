// Kernels with grid barriers: cooperative launches, their memory, and the number of workgroups that fit.
#include <array>
#include <vector>

#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace std::chrono_literals;

namespace {

/// A program in which each invocation adds up its neighbours' numbers from before the barrier.
ValidProgram neighbours() {
    return *validate(*wgsl::parse(R"(enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn neighbours(@builtin(global_invocation_id) id: vec3u) {
    let n = arrayLength(&data);
    let sum = data[(id.x + 1) % n] + data[(id.x + n - 1) % n];
    gridBarrier();
    data[id.x] = sum;
})"));
}

/// neighbours() on a device of its own.
struct Lone {
    static constexpr std::uint64_t words = 64 * 40;

    explicit Lone(Machine& machine) : backend(machine.backend()), device(*backend->open(0)) {}
    Result<void> prepare() {
        executable = TRY(device->load(TRY(device->compile(neighbours(), {}))));
        data = TRY(device->allocate(4 * words));
        const std::vector<std::uint32_t> ones(words, 1);
        return device->write(*data, 0, std::as_bytes(std::span(ones)));
    }
    Result<std::uint32_t> run(std::uint32_t workgroups) {
        const std::array bound{BoundMemory{data.get(), 0, std::uint64_t{256} * workgroups}};
        const Extent3 grid{workgroups, 1, 1};
        const auto submitted = TRY(device->submit(
            {.executable = executable.get(), .bindings = bound, .extent = grid, .grid = grid}));
        TRY(std::get<std::shared_ptr<Submission>>(submitted)->wait(10s));
        std::uint32_t first = 0;
        TRY(device->read(*data, 0, std::as_writable_bytes(std::span(&first, 1))));
        return first;
    }

    std::unique_ptr<CudaBackend> backend;
    std::unique_ptr<Device> device;
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Memory> data;
};

}  // namespace

TEST_CASE("a kernel with grid barriers is launched cooperatively, again and again, and no other is") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        Lone lone(machine);
        REQUIRE(lone.prepare());
        for (std::uint32_t turn = 1; turn < 12; ++turn) CHECK(lone.run(32) == 1u << turn);
        CHECK(machine.fake.calls("cuLaunchKernelEx") == 11);
        CHECK(machine.fake.calls("cuLaunchKernel") == 0);
        const auto other = lone.device->load(*lone.device->compile(test::saxpy(), {}));
        REQUIRE(other);
        CHECK((*other)->resident_workgroups == UINT64_MAX);
    }
}

TEST_CASE("so many workgroups are told as the device holds at once, and no more are launched") {
    Machine machine;
    machine.fake.devices[0].multiprocessors = 3;
    Lone lone(machine);
    REQUIRE(lone.prepare());
    CHECK(lone.executable->resident_workgroups == 24);  // 8 on each multiprocessor
    CHECK(lone.run(24) == 2);
    const auto refused = lone.run(25);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(lone.run(24) == 4);
}

TEST_CASE("a device that can't launch so doesn't list the operation") {
    Machine machine;
    machine.fake.devices = {{}, {.cooperative = false}};
    const auto infos = *machine.backend()->probe();
    CHECK(infos[0].ops.contains(neighbours()->required_ops()));
    CHECK_FALSE(infos[1].ops.contains(neighbours()->required_ops()));
    CHECK(infos[1].ops.contains(test::saxpy()->required_ops()));
    CudaOptions asked = machine.options();
    asked.cooperative = false;
    CHECK_FALSE(CudaBackend(asked).probe()->front().ops.contains(neighbours()->required_ops()));
}

TEST_CASE("what doesn't fit, or a device can't launch so, comes in parts") {
    for (const bool cooperative : {true, false})
        for (const std::uint32_t workgroups : {3u, 32u, 33u}) {
            CAPTURE(cooperative);
            CAPTURE(workgroups);
            Machine machine;
            machine.fake.devices[0].cooperative = cooperative;
            Session session = machine.session();
            const Kernel kernel = prepared(session, neighbours());
            Buffer data = *session.buffer(std::vector<std::uint32_t>(std::size_t{64} * workgroups, 1));
            for (int turn = 0; turn < 3; ++turn)
                REQUIRE(session.dispatch(kernel, {{"data", data}}, Workgroups{workgroups})->wait());
            CHECK(*data.read_all<std::uint32_t>() ==
                  std::vector<std::uint32_t>(std::size_t{64} * workgroups, 8));
            const bool whole = cooperative && workgroups <= 32;
            CHECK(machine.fake.calls("cuLaunchKernelEx") == (whole ? 3 : 0));
            CHECK((machine.fake.calls("cuLaunchKernel") == 0) == whole);
        }
}

TEST_CASE("each call that a grid barrier needs fails once, and nothing leaks") {
    for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::device_lost})
        for (const Way& way : ways) {
            Machine machine;
            way.set(machine);
            std::vector<std::string> struck;
            for (std::size_t which = 0; which == struck.size(); ++which) {
                Lone lone(machine);
                std::size_t seen = 0;
                const auto fault = [&](std::string_view call) -> std::optional<Error> {
                    if (seen++ != which) return std::nullopt;
                    struck.emplace_back(call);
                    if (code == ErrorCode::device_lost)
                        machine.fake.break_contexts(CUDA_ERROR_ILLEGAL_ADDRESS);
                    return Error{code, "Planted.", {}, {}};
                };
                const auto result = [&]() -> Result<std::uint32_t> {
                    const PlantedFaults faults(fault);
                    TRY(lone.prepare());
                    return lone.run(8);
                }();
                if (which == struck.size()) CHECK(result == 2);
                if (!result) CHECK_MESSAGE(result.error().code == code, result.error().to_string());
            }
            for (const char* const call : {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuLaunchKernelEx"})
                CHECK_MESSAGE(std::ranges::count(struck, call) == 1, call);
        }
}
