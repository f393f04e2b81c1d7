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
    int components = 0;                   // 1: grey, 3: colour, 4: CMYK, which can't become RGBA
    std::uint64_t least_bytes = 0;        // of a file with so many pixels, however well they are compressed
    std::string problem;                  // libjpeg's words; empty where all is well
};

/// Reads the header.
JpegSize jpeg_size(std::span<const std::byte> file);

/// Decodes into width * height * 4 bytes of RGBA. Returns libjpeg's words for what is wrong, or nothing.
/// Data that is damaged or ends early is wrong, as far as it can be seen; decoding ends where it is.
std::string decode_jpeg(std::span<const std::byte> file, std::span<std::byte> rgba);

}  // namespace muster::cli
