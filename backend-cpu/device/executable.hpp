// executable.hpp - what runs on the processor: a function, and an artifact's image, mapped into memory.
#pragma once

#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/backend.hpp>

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

/// Needs no LLVM. Errors: invalid_argument if the artifact isn't an image; unsupported if
/// this machine can't run it.
Result<std::unique_ptr<Executable>> load_image(const Artifact& artifact);

}  // namespace muster::cpu
