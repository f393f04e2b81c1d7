// executable.hpp - an artifact loaded on the processor: its image, mapped into memory.
#pragma once

#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

struct MappedExecutable final : Executable {
    explicit MappedExecutable(MappedImage mapped) : image(std::move(mapped)) {}
    MappedImage image;
};

/// Needs no LLVM. Errors: invalid_argument if the artifact isn't an image; unsupported if this machine can't run it.
Result<std::unique_ptr<Executable>> load_image(const Artifact& artifact);

}  // namespace muster::cpu
