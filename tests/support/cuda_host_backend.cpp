// The CUDA backend's text as devices of their own, which need no GPU (cuda_host.hpp): conformance cases and
// random programs run on each. They run only if they are named.
//
//   cuda-host          the kernel for a dispatch: uniforms bound to memory or to a value, grids in small parts
//   cuda-host-emitted  the kernel as it is emitted: uniforms by value if they fit, the whole grid at once; undefined
//                      behaviour in C++ is an error
//
// Their memory has guard pages behind it. They use only the lowering of backend-cuda: cuda_host_driver.cpp has
// the rest.
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/base/try.hpp>

#include "support/builds_ahead.hpp"
#include "support/cuda_host.hpp"
#include "support/cuda_host_parameters.hpp"

namespace muster::test {
namespace {

using cuda::CudaSource;

HostMemory& of(Memory& memory) { return static_cast<HostMemory&>(memory); }
const HostMemory& of(const Memory& memory) { return static_cast<const HostMemory&>(memory); }

struct HostExecutable final : Executable {
    HostExecutable(CudaSource text, const HostKernel& built) : source(std::move(text)), kernel(built) {
        if (source.barrier_state_offset) resident_workgroups = most_resident;
    }
    static constexpr std::uint64_t most_resident = 24;
    CudaSource source;
    HostKernel kernel;
    HostMemory barrier_state{cuda::barrier_state_bytes};
};

DeviceInfo host_info(bool dispatched) {
    DeviceInfo info;
    info.name = "CUDA's text on the host: no GPU";
    info.arch = "host";
    info.software_emulated = true;
    info.driver = "none";
    info.memory_bytes = std::uint64_t{1} << 30;
    // A GPU's limits, except that a dispatch's grid comes in parts.
    info.limits = {.max_workgroup_size = {1024, 1024, 64},
                   .max_workgroup_invocations = 1024,
                   .max_workgroup_bytes = 227 << 10,
                   .max_workgroups = dispatched ? Extent3{5, 3, 2} : Extent3{0x7fffffff, 65535, 65535},
                   .max_storage_binding_bytes = (std::uint64_t{4} << 30) - 4,
                   .max_uniform_binding_bytes = 1 << 16,
                   .max_storage_bindings = 128,
                   .max_uniform_bindings = 128,
                   .max_private_bytes = 512 << 10};
    info.ops = cuda::supported_ops();
    info.subgroup_size = cuda::warp_size;
    info.subgroup_sizes = {cuda::warp_size, cuda::warp_size};
    info.scalars.set();
    info.exactness = cuda::exactness;
    return info;
}

HostKernels& kernels(bool dispatched) {
    return HostKernels::process(dispatched ? HostBuild::plain : HostBuild::trapping);
}

class HostDevice final : public Device {
  public:
    explicit HostDevice(bool dispatched) : dispatched_(dispatched), info_(host_info(dispatched)) {}

    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        CudaSource source = TRY(host_source(program, options, dispatched_));
        Artifact artifact = cuda::artifact_of(program, source, options);
        const auto text = std::as_bytes(std::span(source.text));
        artifact.bytes.assign(text.begin(), text.end());
        artifact.format = "cuda";
        artifact.target = "cuda-host:host";
        artifact.in_process = std::make_shared<const CudaSource>(std::move(source));
        return artifact;
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        if (!artifact.in_process)
            return fail(ErrorCode::unsupported, "The device loads what it has compiled alone.", "compile it");
        const auto& source = *static_cast<const CudaSource*>(artifact.in_process.get());
        return std::make_unique<HostExecutable>(source, TRY(kernels(dispatched_).find(source)));
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        return std::make_unique<HostMemory>(bytes);
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        std::ranges::copy(from, of(memory).data() + offset);
        return {};
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        std::copy_n(of(memory).data() + offset, to.size(), to.begin());
        return {};
    }
    Result<Submitted> submit(const Launch& launch) override {
        const auto& executable = *static_cast<const HostExecutable*>(launch.executable);
        const HostParameters block(executable.source, launch, executable.barrier_state);
        TRY(executable.kernel.launch(block.bytes(), launch.extent, seed_++));
        if (!is_ready_for_next(executable.barrier_state))
            return fail(ErrorCode::internal,
                        executable.source.entry + " leaves its grid barriers half passed.");
        for (const BoundMemory& bound : launch.bindings)
            if (bound.memory != nullptr && !of(*bound.memory).is_intact())
                return fail(ErrorCode::internal,
                            executable.source.entry + " wrote beside the memory that a binding has.");
        return Timing{};
    }
    void abandon() override {}

  private:
    bool dispatched_;
    DeviceInfo info_;
    std::atomic<std::uint64_t> seed_ = 1;
};

class HostBackend final : public Backend, public BuildsAhead {
  public:
    explicit HostBackend(bool dispatched) : dispatched_(dispatched) {}

    std::string_view id() const override { return dispatched_ ? "cuda-host" : "cuda-host-emitted"; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector{host_info(dispatched_)}; }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return std::make_unique<HostDevice>(dispatched_);
    }
    std::string default_arch() const override { return "host"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override {
        return fail(ErrorCode::unsupported, "CUDA's text on the host is nothing to emit for.");
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "CUDA's text on the host is nothing to emit for.");
    }
    void build_ahead(std::span<const ValidProgram> programs) override {
        const DeviceInfo info = host_info(dispatched_);
        std::vector<CudaSource> sources;
        for (const ValidProgram& program : programs) {
            if ((program->needs().scalars & ~info.scalars).any()) continue;  // it won't be dispatched
            const CompileOptions options = routing::with_subgroup_size({}, *program, info.subgroup_size);
            const auto expanded = routing::expand_for(program, info.ops, info.exactness, options);
            if (!expanded) continue;
            if (auto source = host_source(*expanded, options, dispatched_))
                sources.push_back(*std::move(source));
        }
        kernels(dispatched_).build(sources);
    }

  private:
    bool dispatched_;
};

Result<std::unique_ptr<Backend>> make_dispatched() { return std::make_unique<HostBackend>(true); }
Result<std::unique_ptr<Backend>> make_emitted() { return std::make_unique<HostBackend>(false); }

constexpr Tags tags = "debug test";
constexpr BackendRegistration dispatched{
    .id = "cuda-host", .factory = make_dispatched, .supported_ops = cuda::supported_ops, .tags = tags};
constexpr BackendRegistration emitted{
    .id = "cuda-host-emitted", .factory = make_emitted, .supported_ops = cuda::supported_ops, .tags = tags};
constexpr BackendCapability dispatched_runs{.id = "cuda-host", .dispatches = true};
constexpr BackendCapability emitted_runs{.id = "cuda-host-emitted", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(dispatched);
MUSTER_SUBMIT(emitted);
MUSTER_SUBMIT(dispatched_runs);
MUSTER_SUBMIT(emitted_runs);

}  // namespace muster::test
