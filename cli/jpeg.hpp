// jpeg.hpp - libjpeg behind two functions, because its errors arrive by longjmp: what stands between setjmp
// and longjmp has no destructors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace muster::cli {

struct JpegSize {
    std::uint32_t width = 0, height = 0;  // pixels
    std::string problem;                  // libjpeg's words; empty where all is well
};

/// Reads the header. `problem` is also set for what can't become RGBA (CMYK).
JpegSize jpeg_size(std::span<const std::byte> file);

/// Decodes into width * height * 4 bytes of RGBA. Returns libjpeg's words for what is wrong, or nothing.
/// A file that ends early is wrong.
std::string decode_jpeg(std::span<const std::byte> file, std::span<std::byte> rgba);

}  // namespace muster::cli
