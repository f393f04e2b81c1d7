// png.hpp - libpng's reading behind two functions, because its errors arrive by longjmp: what stands between setjmp and
// longjmp has no destructors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::cli {

struct PngSize {
    std::uint32_t width = 0, height = 0;  // pixels
    std::uint64_t least_bytes = 0;        // of a file with so many pixels, however well they are compressed
    std::string problem;                  // libpng's words; empty where all is well
};

/// Reads the header.
PngSize png_size(std::span<const std::byte> file);

/// Decodes into width * height * 4 bytes of RGBA, components as the file has them: no gamma, 16 bits rounded to 8.
/// `exif`: what the file says of its taking. Returns libpng's words for what is wrong, or nothing.
std::string decode_png(std::span<const std::byte> file, std::span<std::byte> rgba,
                       std::vector<std::byte>& exif);

}  // namespace muster::cli
