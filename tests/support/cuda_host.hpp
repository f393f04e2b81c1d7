// cuda_host.hpp - kernels of the CUDA backend on the host: their very text, built by the host's compiler, and launches of it.
//
//     HostKernels& kernels = HostKernels::process(HostBuild::trapping);
//     kernels.build(sources);                              // ahead: many to a translation unit
//     const HostKernel kernel = TRY(kernels.find(source));  // built now where it wasn't
//     TRY(kernel.launch(parameters, grid, seed));
//
// What is built stays in the build folder, for the next time. What of CUDA stands in for the real thing, cuda_shim/ says.
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

/// trapping: what C++ leaves undefined (overflow, shifts too far, indices beyond an array, conversions that don't fit, pointers
/// that aren't aligned) ends the launch. GPU compilers take it for granted that none of it happens, too.
enum class HostBuild : std::uint8_t { plain, trapping };

/// The program lowered, with a name for the kernel that no other has. `options`: of the expanded program, as a device gets it.
Result<cuda::CudaSource> host_source(const ValidProgram& program, const CompileOptions& options,
                                     bool dispatched);

class HostKernel {
  public:
    HostKernel(const muster_shim::Kernel& code, const cuda::CudaSource& source);
    /// Runs it to its end: the block of parameters is as cuLaunchKernel takes it. One launch runs at a time. Errors:
    /// internal, where threads don't all come to the same barriers, or touch what isn't theirs.
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
    /// Those that aren't built yet, on all cores. What can't be built is left to find().
    void build(std::span<const cuda::CudaSource> sources);
    /// Errors: compile_failed, with the compiler's log; internal, where the compiler has the parameters elsewhere than the
    /// source says.
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
