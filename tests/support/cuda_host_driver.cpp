// The whole of backend-cuda on the fake of NVIDIA's driver (fake_driver.hpp), with its kernels' text built and
// run on the host (cuda_host.hpp): everything that a GPU would get is used, parameters, values, copies and
// order included. Conformance cases and random programs run on it. It runs only if it is named.
//
// Its kernels are those of cuda-host (cuda_host_backend.cpp), which has built them by then.
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>
#include <support/cuda_host.hpp>
#include <support/fake_driver.hpp>

#include <muster/backend-cuda/backend.hpp>
#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::test {
namespace {

FakeDriver& fake() {
    static auto* const shared = new FakeDriver;  // devices may outlive static objects at exit
    return *shared;
}

Result<std::shared_ptr<cuda::Instance>> instance() {
    static std::mutex mutex;
    static auto* const made = new std::shared_ptr<cuda::Instance>;
    const std::lock_guard lock(mutex);
    if (!*made) *made = TRY(cuda::Instance::create(fake().table()));
    return *made;
}

/// Acts like the driver: an error of the kernel, or a complaint of the fake's, breaks the context.
CUresult run(const HostKernel& kernel, const FakeLaunch& launch) {
    static std::atomic<std::uint64_t> seed = 1;
    const auto done = kernel.launch(launch.block, launch.grid, seed++);
    if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
    for (const std::string& complaint : fake().complaints()) fmt::print(stderr, "{}\n", complaint);
    return done && fake().complaints().empty() ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options, const std::string& arch,
                         int /*cuda_version*/) {
    auto source = std::make_shared<cuda::CudaSource>(TRY(host_source(program, options, true)));
    const HostKernel kernel = TRY(HostKernels::process(HostBuild::plain).find(*source));
    fake().set_kernel(source->entry,
                      {.parameter_bytes = source->parameter_bytes,
                       .run = [kernel](const FakeLaunch& launch) { return run(kernel, launch); },
                       .static_shared_bytes = static_cast<int>(source->static_shared_bytes),
                       .cooperative = source->barrier_state_offset.has_value()});
    Artifact artifact = cuda::artifact_of(program, *source, options);
    constexpr std::string_view image = "cubin";
    const auto bytes = std::as_bytes(std::span(image.data(), image.size() + 1));
    artifact.bytes.assign(bytes.begin(), bytes.end());
    artifact.format = "cubin";
    artifact.target = "cuda:" + arch;
    artifact.in_process = std::move(source);
    return artifact;
}

Result<std::unique_ptr<Backend>> make() {
    return std::make_unique<cuda::CudaBackend>(
        cuda::CudaOptions{.id = "cuda-host-driver", .instance = instance, .compiler = compile});
}

constexpr BackendRegistration registration{
    .id = "cuda-host-driver", .factory = make, .supported_ops = cuda::supported_ops, .tags = "debug test"};
constexpr BackendCapability capability{.id = "cuda-host-driver", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(capability);

}  // namespace muster::test
