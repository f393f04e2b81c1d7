// Loading kernels, and a driver's refusals.
#include <atomic>
#include <string>

#include <muster/backend-cuda/compile/load_data.hpp>
#include <muster/backend-cuda/compile/nvrtc.hpp>
#include <muster/backend-cuda/compile/ptx_version.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::cuda;

namespace {

Result<std::unique_ptr<Executable>> load(Machine& machine, const char* spoiled = nullptr) {
    static std::unique_ptr<CudaBackend> backend;
    backend = machine.backend();
    const auto device = *backend->open(0);
    auto artifact = *device->compile(test::saxpy(), {});
    if (spoiled) {
        const std::string text(spoiled);
        const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
        artifact.bytes.assign(bytes.begin(), bytes.end());
    }
    auto executable = device->load(artifact);
    if (executable) executable->reset();
    backend.reset();
    return executable;
}

}  // namespace

TEST_CASE("PTX versions by the driver's CUDA, and in a text") {
    CHECK(newest_ptx(12000) == "8.0");
    CHECK(newest_ptx(12050) == "8.5");
    CHECK(newest_ptx(12060) == "8.5");
    CHECK(newest_ptx(12070) == "8.6");
    CHECK(newest_ptx(12090) == "8.8");
    CHECK(newest_ptx(13000) == "9.0");
    CHECK(newest_ptx(13010) == "9.1");
    constexpr std::string_view text = "//\n// Generated\n//\n\n.version 9.0\n.target sm_75\n";
    CHECK(ptx_version(text) == "9.0");
    CHECK(with_ptx_version(text, "8.4") == "//\n// Generated\n//\n\n.version 8.4\n.target sm_75\n");
    CHECK(ptx_version("nothing").empty());
    CHECK(with_ptx_version("nothing", "8.4") == "nothing");
}

TEST_CASE("PTX of a newer version than the driver's is taken as the driver's own") {
    Machine machine;
    machine.compiler.format = "ptx";
    machine.fake.version = 12040;
    machine.fake.newest_ptx = "8.4";
    const auto loaded = load(machine);
    if (!loaded) FAIL(loaded.error().to_string());
    CHECK(machine.fake.calls("cuModuleLoadDataEx") == 2);
}

TEST_CASE("PTX that isn't taken so either: both versions are named") {
    Machine machine;
    machine.compiler.format = "ptx";
    machine.fake.version = 12040;
    machine.fake.newest_ptx = "8.0";
    const auto refused = load(machine);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    CHECK(refused.error().to_string() ==
          "NVIDIA's driver is for CUDA 12.4 and takes PTX up to version 8.4; this PTX is of version 9.0, and "
          "the driver also refuses it as the older version.\nFix: update the driver, or let LD_LIBRARY_PATH "
          "lead to an NVRTC of CUDA "
          "12.4 or older");
}

TEST_CASE("what the driver's compiler says is in the error") {
    Machine machine;
    machine.compiler.format = "ptx";
    const auto refused = load(machine, "no PTX at all");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    CHECK(refused.error().message == "CUDA says: CUDA_ERROR_INVALID_PTX.\nptxas fatal: what is that?");
}

TEST_CASE("a cubin that the driver refuses is an error of its own, with the driver's version") {
    Machine machine;
    machine.fake.takes_cubin = false;
    machine.fake.version = 12010;
    const auto refused = load(machine);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    CHECK(refused.error().message ==
          "CUDA says: CUDA_ERROR_INVALID_IMAGE. NVIDIA's driver is for CUDA 12.1.");
}

TEST_CASE("NVRTC makes what the device's driver takes: a cubin, or PTX for one of an older generation") {
    const auto nvrtc = Nvrtc::process();
    if (!nvrtc) return;
    const int own = (*nvrtc)->major() * 1000 + (*nvrtc)->minor() * 10;
    for (const int version : {own, 12040}) {
        Machine machine;
        machine.with_nvrtc = true;
        machine.fake.version = version;
        machine.fake.newest_ptx = newest_ptx(version);
        const CudaSource source = *lower(test::saxpy(), {.dispatched = true});
        std::atomic<bool> ran = false;
        const auto run = [&](const test::FakeLaunch& launch) {
            ran = launch.grid == Extent3{1, 1, 1} && launch.workgroup == Extent3{64, 1, 1};
            return CUDA_SUCCESS;
        };
        machine.fake.set_kernel(source.entry, {.parameter_bytes = source.parameter_bytes, .run = run});
        Bench bench(machine);
        CHECK(bench.submit()->wait(std::chrono::seconds(10)));
        CHECK(ran);
        const bool is_older = version / 1000 < (*nvrtc)->major();
        CHECK(machine.fake.calls("cuModuleLoadDataEx") == (is_older ? 2 : 1));
    }
}

TEST_CASE("an artifact of another process is loaded with the data stored beside it, and not without") {
    Machine machine;
    const auto backend = machine.backend();
    const auto device = *backend->open(0);
    auto artifact = *device->compile(test::saxpy(), {});
    const auto source = std::static_pointer_cast<const CudaSource>(artifact.in_process);
    artifact.in_process.reset();
    artifact.load_data.clear();
    CHECK(device->load(artifact).error().code == ErrorCode::invalid_argument);
    artifact.load_data = load_data(*source);
    CHECK(device->load(artifact));
    artifact.load_data.pop_back();
    CHECK(device->load(artifact).error().message.starts_with(
        "The data that the kernel is loaded with is damaged: "));
    artifact.format = "spirv";
    CHECK(device->load(artifact).error().message ==
          "The CUDA backend loads cubins and PTX that were compiled for dispatch, and this artifact is of "
          "format "
          "\"spirv\".");
}

TEST_CASE(
    "more shared memory than a workgroup may have is refused with both numbers; less is allowed where it's "
    "much") {
    Machine machine;
    machine.compiler.static_shared_bytes = 1000;
    machine.compiler.dynamic_shared_bytes = (100 << 10) - 999;
    const auto refused = load(machine);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(refused.error().message ==
          "The kernel needs 102401 bytes of workgroup memory, more than the 102400 that a workgroup may have "
          "on this "
          "device.");
    machine.compiler.dynamic_shared_bytes -= 1;
    Bench bench(machine);
    CHECK(bench.submit()->wait(std::chrono::seconds(10)));
    CHECK(bench.result() == 1.0f);
    CHECK(machine.fake.calls("cuFuncSetAttribute") == 1);
}
