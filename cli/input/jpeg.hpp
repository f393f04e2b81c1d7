// jpeg.hpp - wraps libjpeg, whose errors arrive by longjmp.
//
// No object with a destructor may live between setjmp and longjmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace muster::cli {

struct JpegSize {
    std::uint32_t width = 0, height = 0;  // pixels
    int components = 0;                   // 1: grey, 3: colour, 4: CMYK, which isn't supported
    std::uint64_t least_bytes = 0;        // lower bound of a file with so many pixels
    std::string problem;                  // libjpeg's message; empty if there is none
};

/// Reads the header.
JpegSize jpeg_size(std::span<const std::byte> file);

/// Decodes into width * height * 4 bytes of RGBA. Returns libjpeg's message, or an empty string. Damaged or
/// truncated data is an error if it is detected; decoding stops there.
std::string decode_jpeg(std::span<const std::byte> file, std::span<std::byte> rgba);

}  // namespace muster::cli
