// image.hpp - reads and writes PNG and JPEG pictures as RGBA, 8 bits per component, rows from the top.
//
// Components keep the file's encoding (usually sRGB); gamma information is ignored. A picture without
// transparency gets alpha 255, grey and palette pictures are converted to RGB, and 16 bits are rounded to 8.
// A picture is turned upright according to its EXIF orientation.
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

/// Reads a PNG or JPEG file, detected by its first bytes; `name` is for messages. Memory for the pixels is
/// allocated only if the file is large enough to contain that many. Errors: io_failed (broken or truncated),
/// unsupported (another format, CMYK), limit_exceeded (max_pixels).
Result<Image> parse_image(std::span<const std::byte> file, const std::string& name);

/// Encodes a PNG file.
Result<std::vector<std::byte>> format_png(const Image& image);

}  // namespace muster::cli
