// cuda_host.hpp - kernels of the CUDA backend on the host: their very text, built by the host's compiler, and
// its launches.
//
//     HostKernels& kernels = HostKernels::process(HostBuild::trapping);
//     kernels.build(sources);                              // ahead: many to a translation unit
//     const HostKernel kernel = TRY(kernels.find(source));  // built now where it wasn't
//     TRY(kernel.launch(parameters, grid, seed));
//
// Built libraries stay in the build folder, for the next time. cuda_shim/ describes its replacements for CUDA.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <support/cuda_shim/run.hpp>

#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::test {

/// trapping: undefined behaviour in C++ (overflow, shifts too far, indices beyond an array, conversions that
/// don't fit, misaligned pointers) ends the launch. GPU compilers assume that none of it happens, too.
enum class HostBuild : std::uint8_t { plain, trapping };

/// The lowered program, with a unique name for the kernel. `options`: those of the expanded program, as a device
/// gets it.
Result<cuda::CudaSource> host_source(const ValidProgram& program, const CompileOptions& options,
                                     bool dispatched);

class HostKernel {
  public:
    HostKernel(const muster_shim::Kernel& code, const cuda::CudaSource& source);
    /// Runs the kernel to its end. The block of parameters is laid out as for cuLaunchKernel. One launch runs at
    /// a time. Errors: internal if the threads don't all reach the same barriers, or access memory outside of
    /// their bindings.
    Result<void> launch(std::span<const std::byte> parameters, Extent3 grid, std::uint64_t seed) const;

  private:
    const muster_shim::Kernel* code_;
    Extent3 block_;
    bool has_barriers_, is_cooperative_;
};

class HostKernels {
  public:
    explicit HostKernels(HostBuild how) : how_(how) {}
    static HostKernels& process(HostBuild how);
    /// Builds the kernels that aren't built yet, on all cores. find() reports those that can't be built.
    void build(std::span<const cuda::CudaSource> sources);
    /// Returns the kernel, built. Errors: compile_failed, with the compiler's log; internal if the compiler lays
    /// out the parameters differently from the source's description.
    Result<HostKernel> find(const cuda::CudaSource& source);

  private:
    using Unit = std::vector<const cuda::CudaSource*>;
    Result<void> build_unit(const Unit& unit);
    bool has(const cuda::CudaSource& source);

    const HostBuild how_;
    std::mutex mutex_;
    std::map<std::string, const muster_shim::Kernel*> built_;  // by text
};

}  // namespace muster::test
