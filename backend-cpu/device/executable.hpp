// executable.hpp - what runs on the processor: a function, and an artifact's image, mapped into memory or loaded as a library.
#pragma once

#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/platform/driver_library.hpp>

namespace muster::cpu {

/// A function over workgroups.
struct CpuExecutable : Executable {
    CpuExecutable(KernelFunction runs, std::uint64_t scratch, std::uint32_t bound)
        : kernel(runs), scratch_bytes(scratch), cost(bound) {}
    const KernelFunction kernel;
    const std::uint64_t scratch_bytes;
    const std::uint32_t cost;  // as ImageHeader::cost
};

struct MappedExecutable final : CpuExecutable {
    explicit MappedExecutable(MappedImage mapped)
        : CpuExecutable(mapped.kernel(), mapped.header().scratch_bytes, mapped.header().cost),
          image(std::move(mapped)) {}
    const MappedImage image;
};

/// An image's code as a library of the process, which debuggers and profilers see.
struct LibraryExecutable final : CpuExecutable {
    LibraryExecutable(KernelFunction runs, const ImageHeader& header, DriverLibrary opened)
        : CpuExecutable(runs, header.scratch_bytes, header.cost), library(std::move(opened)) {}
    const DriverLibrary library;
};

/// Needs no LLVM. `visible`: as a library, if it can be; otherwise a warning says why not. Errors: invalid_argument if the artifact
/// isn't an image; unsupported if this machine can't run it.
Result<std::unique_ptr<Executable>> load_image(const Artifact& artifact, bool visible = false);

}  // namespace muster::cpu
