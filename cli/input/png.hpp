// png.hpp - wraps libpng's decoder, whose errors arrive by longjmp.
//
// No object with a destructor may live between setjmp and longjmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::cli {

struct PngSize {
    std::uint32_t width = 0, height = 0;  // pixels
    std::uint64_t least_bytes = 0;        // lower bound of a file with so many pixels
    std::string problem;                  // libpng's message; empty if there is none
};

/// Reads the header.
PngSize png_size(std::span<const std::byte> file);

/// Decodes into width * height * 4 bytes of RGBA. Components keep the file's values: no gamma, 16 bits
/// rounded to 8. `exif` gets the file's EXIF data, if any. Returns libpng's message, or an empty string.
std::string decode_png(std::span<const std::byte> file, std::span<std::byte> rgba,
                       std::vector<std::byte>& exif);

}  // namespace muster::cli
