#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <png.h>

#include <muster/cli/image.hpp>
#include <muster/cli/jpeg.hpp>

namespace muster::cli {
namespace {

std::unexpected<Error> too_large(const std::string& name, std::uint64_t width, std::uint64_t height) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("\"{}\" has {} x {} pixels, more than the {} that can be read.", name, width,
                            height, max_pixels));
}

/// libpng's simplified interface, which needs no setjmp here; frees what is left of it.
struct Png : png_image {
    Png() : png_image{} { version = PNG_IMAGE_VERSION; }
    ~Png() { png_image_free(this); }
    Png(const Png&) = delete;
    Png& operator=(const Png&) = delete;
};

Result<Image> parse_png(std::span<const std::byte> file, const std::string& name) {
    const auto broken = [&](const Png& png) {
        return fail(ErrorCode::io_failed, fmt::format("\"{}\" can't be read as PNG: {}.", name, png.message));
    };
    Png png;
    if (!png_image_begin_read_from_memory(&png, file.data(), file.size())) return broken(png);
    if (std::uint64_t{png.width} * png.height > max_pixels) return too_large(name, png.width, png.height);
    png.format = PNG_FORMAT_RGBA;
    Image image{png.width, png.height, std::vector<std::byte>(PNG_IMAGE_SIZE(png))};
    if (!png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr)) return broken(png);
    return image;
}

}  // namespace

Result<Image> parse_image(std::span<const std::byte> file, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.starts_with("\x89PNG\r\n\x1a\n")) return parse_png(file, name);
    if (text.starts_with("\xff\xd8\xff")) {
        const JpegSize size = jpeg_size(file);
        if (std::uint64_t{size.width} * size.height > max_pixels)
            return too_large(name, size.width, size.height);
        Image image{size.width, size.height,
                    std::vector<std::byte>(std::size_t{size.width} * size.height * 4)};
        const std::string problem = !size.problem.empty() ? size.problem : decode_jpeg(file, image.rgba);
        if (problem.empty()) return image;
        return fail(ErrorCode::io_failed, fmt::format("\"{}\" can't be read as JPEG: {}.", name, problem));
    }
    return fail(ErrorCode::unsupported, fmt::format("\"{}\" is neither PNG nor JPEG.", name));
}

Result<std::vector<std::byte>> format_png(const Image& image) {
    Png png;
    png.width = image.width;
    png.height = image.height;
    png.format = PNG_FORMAT_RGBA;
    // An opaque picture is written without its alpha.
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
