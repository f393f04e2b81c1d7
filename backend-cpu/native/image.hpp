// image.hpp - a compiled kernel as bytes that run wherever they are mapped: code and
// constants, all references relative and resolved. Loading needs no relocation and no LLVM, so
// a disk cache can store images.
//
// Layout: an ImageHeader, then at code_offset (a multiple of 4096 from the image's start) code_bytes of code
// and constants, which are mapped read-only and executable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

struct ImageHeader {
    std::array<char, 8> magic;   // image_magic
    std::uint32_t version;       // image_version
    std::uint32_t header_bytes;  // sizeof(ImageHeader)
    std::uint64_t code_offset;
    std::uint64_t code_bytes;
    std::uint64_t entry_offset;   // the kernel's, from code_offset
    std::uint64_t scratch_bytes;  // see KernelFunction
    std::uint32_t width;          // SIMD width, in invocations
    /// Upper bound of the instructions that one workgroup runs; 0 if a loop has no known bound. Small
    /// launches of cheap kernels run inside submit().
    std::uint32_t cost;
    std::array<char, 64> arch;  // CompileTarget::arch, NUL-terminated
    std::array<char, 2048>
        features;  // the machine's features that the code was compiled for: LLVM's names, NUL-terminated
};
inline constexpr std::array<char, 8> image_magic{'M', 'U', 'S', 'T', 'C', 'P', 'U', '\0'};
inline constexpr std::uint32_t image_version = 1;

/// The checked header of an image: what it says lies within the bytes. Errors: invalid_argument if they
/// aren't an image of this version.
Result<std::unique_ptr<ImageHeader>> read_image_header(std::span<const std::byte> image);

/// A kernel's code, mapped into this process.
class MappedImage {
  public:
    /// Errors: invalid_argument if the bytes aren't an image of this version; out_of_memory.
    static Result<MappedImage> map(std::span<const std::byte> image);
    MappedImage(MappedImage&& other) noexcept;
    MappedImage& operator=(MappedImage&&) = delete;
    ~MappedImage();
    const ImageHeader& header() const { return *header_; }
    KernelFunction kernel() const { return kernel_; }

  private:
    MappedImage() = default;
    std::unique_ptr<ImageHeader> header_;
    void* mapping_ = nullptr;
    std::uint64_t mapped_bytes_ = 0;
    KernelFunction kernel_ = nullptr;
};

}  // namespace muster::cpu
