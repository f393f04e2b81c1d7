// orientation.hpp - EXIF orientation: turns pictures upright that were taken with a rotated camera.
#pragma once

#include <cstddef>
#include <span>

#include <muster/cli/input/image.hpp>

namespace muster::cli {

/// EXIF's orientation, 1 to 8, from a whole JPEG file or from bare EXIF data (a PNG's eXIf chunk); 1 (as
/// stored) if there is none.
int orientation_in_jpeg(std::span<const std::byte> file);
int orientation_in_exif(std::span<const std::byte> exif);

/// Turns the picture upright. Orientations from 5 on swap width and height.
Image upright(Image image, int orientation);

}  // namespace muster::cli
