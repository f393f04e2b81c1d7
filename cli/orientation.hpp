// orientation.hpp - how a camera was held, as EXIF says it: which corner of the stored picture is the top left one.
#pragma once

#include <cstddef>
#include <span>

#include <muster/cli/image.hpp>

namespace muster::cli {

/// EXIF's number of it, 1 to 8, in a whole JPEG file or in EXIF's own bytes (a PNG's eXIf chunk); 1, as stored, where
/// nothing there says otherwise.
int orientation_in_jpeg(std::span<const std::byte> file);
int orientation_in_exif(std::span<const std::byte> exif);

/// The picture as it is to be seen. Orientations from 5 on swap width and height.
Image upright(Image image, int orientation);

}  // namespace muster::cli
