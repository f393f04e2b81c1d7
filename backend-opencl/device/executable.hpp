// executable.hpp - an artifact loaded on a device: the kernel.
#pragma once

#include <muster/backend-opencl/compile/build.hpp>

namespace muster::opencl {

struct KernelExecutable final : Executable {
    std::shared_ptr<const Built> built;
    UniqueKernel kernel;  // its arguments are set at each launch, by one thread at a time
    Extent3 workgroup_size;
};

/// Loads a text for dispatch. An artifact that was compiled here comes with its program; for another
/// session's context, the driver's binary of it is used. A driver that refuses the binary gets the text.
/// Errors: compile_failed, invalid_argument (another artifact), limit_exceeded (the kernel can't have
/// workgroups of its size on this device), out_of_memory.
Result<std::unique_ptr<Executable>> load_kernel(const Builder& builder, const Artifact& artifact);

}  // namespace muster::opencl
