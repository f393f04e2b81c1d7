// image.hpp - PNG and JPEG pictures as RGBA, 8 bits each, rows from the top.
//
// Components are passed on as the file stores them (sRGB, as a rule), whatever it says of gamma. A picture without
// transparency has alpha 255; grey and palette pictures are widened; 16 bits are rounded to 8. A picture that was taken
// with the camera on its side is turned upright, as its EXIF orientation says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

struct Image {
    std::uint32_t width = 0, height = 0;  // pixels
    std::vector<std::byte> rgba;          // 4 bytes per pixel
};

inline constexpr std::uint64_t max_pixels = std::uint64_t{1} << 27;

/// Reads a PNG or JPEG file's bytes, told apart by their first ones; `name` is for messages.
/// Allocates for the pixels once the file is known to be large enough to hold so many. Errors: io_failed (broken, cut
/// off), unsupported (another format, CMYK), limit_exceeded (max_pixels).
Result<Image> parse_image(std::span<const std::byte> file, const std::string& name);

/// The bytes of a PNG file.
Result<std::vector<std::byte>> format_png(const Image& image);

}  // namespace muster::cli
