#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <png.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/jpeg.hpp>
#include <muster/cli/input/orientation.hpp>
#include <muster/cli/input/png.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

std::unexpected<Error> too_large(const std::string& name, std::uint64_t width, std::uint64_t height) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("\"{}\" has {} x {} pixels, more than the {} that can be read.", name, width,
                            height, max_pixels));
}

std::unexpected<Error> broken(const std::string& name, std::string_view format, std::string_view problem) {
    return fail(ErrorCode::io_failed, fmt::format("\"{}\" can't be read as {}: {}.", name, format, problem));
}

/// Properties that both formats give before their pixels are read.
struct Size {
    std::uint64_t width = 0, height = 0;
    std::uint64_t least_bytes = 0;
};

/// Allocates the image, unless it has too many pixels or the file is too small for them.
Result<Image> room_for(const Size& size, std::uint64_t file_bytes, const std::string& name,
                       std::string_view format) {
    if (size.width * size.height > max_pixels) return too_large(name, size.width, size.height);
    if (file_bytes < size.least_bytes)
        return broken(name, format,
                      fmt::format("it is cut off: it has {} bytes, and {} x {} pixels take at least {}",
                                  file_bytes, size.width, size.height, size.least_bytes));
    return Image{static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
                 std::vector<std::byte>(size.width * size.height * 4)};
}

Result<Image> parse_png(std::span<const std::byte> file, const std::string& name) {
    const PngSize size = png_size(file);
    if (!size.problem.empty()) return broken(name, "PNG", size.problem);
    Image image = TRY(room_for({size.width, size.height, size.least_bytes}, file.size(), name, "PNG"));
    std::vector<std::byte> exif;
    if (const std::string problem = decode_png(file, image.rgba, exif); !problem.empty())
        return broken(name, "PNG", problem);
    return upright(std::move(image), orientation_in_exif(exif));
}

Result<Image> parse_jpeg(std::span<const std::byte> file, const std::string& name) {
    const JpegSize size = jpeg_size(file);
    if (!size.problem.empty()) return broken(name, "JPEG", size.problem);
    if (size.components > 3)
        return fail(
            ErrorCode::unsupported,
            fmt::format("\"{}\" has four colour components (CMYK); red, green and blue can be read.", name),
            "convert it, for instance: magick INPUT -colorspace sRGB OUTPUT.png");
    Image image = TRY(room_for({size.width, size.height, size.least_bytes}, file.size(), name, "JPEG"));
    if (const std::string problem = decode_jpeg(file, image.rgba); !problem.empty())
        return broken(name, "JPEG", problem);
    return upright(std::move(image), orientation_in_jpeg(file));
}

}  // namespace

Result<Image> parse_image(std::span<const std::byte> file, const std::string& name) {
    const std::string_view text = as_text(file);
    if (text.starts_with("\x89PNG\r\n\x1a\n")) return parse_png(file, name);
    if (text.starts_with("\xff\xd8\xff")) return parse_jpeg(file, name);
    return fail(ErrorCode::unsupported, fmt::format("\"{}\" is neither PNG nor JPEG.", name));
}

namespace {

/// libpng's simplified interface, which needs no setjmp here; the destructor frees its state.
struct Png : png_image {
    Png() : png_image{} { version = PNG_IMAGE_VERSION; }
    ~Png() { png_image_free(this); }
    Png(const Png&) = delete;
    Png& operator=(const Png&) = delete;
};

}  // namespace

Result<std::vector<std::byte>> format_png(const Image& image) {
    Png png;
    png.width = image.width;
    png.height = image.height;
    png.format = PNG_FORMAT_RGBA;
    // Opaque pictures are written without alpha.
    std::vector<std::byte> pixels = image.rgba;
    bool opaque = true;
    for (std::size_t i = 3; i < pixels.size(); i += 4) opaque = opaque && pixels[i] == std::byte{255};
    if (opaque) {
        png.format = PNG_FORMAT_RGB;
        for (std::size_t from = 0, to = 0; from < pixels.size(); from += 4, to += 3) {
            std::memmove(&pixels[to], &pixels[from], 3);
        }
    }
    png_alloc_size_t bytes = 0;
    std::vector<std::byte> file(PNG_IMAGE_PNG_SIZE_MAX(png));
    bytes = file.size();
    if (!png_image_write_to_memory(&png, file.data(), &bytes, 0, pixels.data(), 0, nullptr)) {
        return fail(ErrorCode::io_failed,
                    fmt::format("A picture of {} x {} pixels can't be written as PNG: {}.", image.width,
                                image.height, png.message));
    }
    file.resize(bytes);
    return file;
}

}  // namespace muster::cli
