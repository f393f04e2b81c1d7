#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstring>

#include <png.h>

#include <muster/cli/input/png.hpp>

namespace muster::cli {
namespace {

// Deflate's highest compression: two bits for 258 bytes.
constexpr std::uint64_t best_compression = 1032;

struct Reader {
    std::span<const std::byte> rest;
    std::jmp_buf escape;
    std::array<char, 256> message;
    png_structp png;
    png_infop info;
};

void on_error(png_structp png, png_const_charp words) {
    auto& reader = *static_cast<Reader*>(png_get_error_ptr(png));
    std::strncpy(reader.message.data(), words, reader.message.size() - 1);
    std::longjmp(reader.escape, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
    if (count > reader.rest.size()) png_error(png, "it ends before its last row");
    std::memcpy(to, reader.rest.data(), count);
    reader.rest = reader.rest.subspan(count);
}

/// Converts every format to 8 bits each of red, green, blue and alpha.
void ask_for_rgba(png_structp png) {
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
}

void read_rows(Reader& reader, std::byte* rgba) {
    const int passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    const png_uint_32 height = png_get_image_height(reader.png, reader.info);
    const std::size_t row_bytes = std::size_t{png_get_image_width(reader.png, reader.info)} * 4;
    if (png_get_rowbytes(reader.png, reader.info) != row_bytes) png_error(reader.png, "its rows aren't RGBA");
    for (int pass = 0; pass < passes; ++pass)
        for (png_uint_32 y = 0; y < height; ++y)
            png_read_row(reader.png, reinterpret_cast<png_bytep>(rgba + y * row_bytes), nullptr);
    png_read_end(reader.png, reader.info);
}

/// The code between setjmp and longjmp: plain data only. If `rgba` is null, reads only the header. Returns
/// false if libpng failed. The caller destroys the reader.
bool run(Reader& reader, std::byte* rgba) {
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
    if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
    if (reader.info == nullptr) {
        std::strcpy(reader.message.data(), "there is no memory left");
        return false;
    }
    if (setjmp(reader.escape) != 0) return false;
    png_set_read_fn(reader.png, &reader, on_read);
    png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the caller has limits of its own
    png_read_info(reader.png, reader.info);
    if (rgba == nullptr) return true;
    ask_for_rgba(reader.png);
    read_rows(reader, rgba);
    return true;
}

void destroy(Reader& reader) { png_destroy_read_struct(&reader.png, &reader.info, nullptr); }

}  // namespace

PngSize png_size(std::span<const std::byte> file) {
    Reader reader{};
    reader.rest = file;
    PngSize size;
    if (run(reader, nullptr)) {
        size.width = png_get_image_width(reader.png, reader.info);
        size.height = png_get_image_height(reader.png, reader.info);
        const std::uint64_t bits = std::uint64_t{png_get_bit_depth(reader.png, reader.info)} *
                                   png_get_channels(reader.png, reader.info);
        // No overflow: a pixel has at most 8 bytes, and there are at most 2^62 pixels.
        const std::uint64_t pixels = std::uint64_t{size.width} * size.height;
        size.least_bytes = pixels / best_compression * bits / 8;
    } else {
        size.problem = reader.message.data();
    }
    destroy(reader);
    return size;
}

std::string decode_png(std::span<const std::byte> file, std::span<std::byte> rgba,
                       std::vector<std::byte>& exif) {
    Reader reader{};
    reader.rest = file;
    std::string problem;
    if (run(reader, rgba.data())) {
        png_uint_32 count = 0;
        png_bytep bytes = nullptr;
        if (png_get_eXIf_1(reader.png, reader.info, &count, &bytes) != 0)
            exif.assign(reinterpret_cast<std::byte*>(bytes), reinterpret_cast<std::byte*>(bytes) + count);
    } else {
        problem = reader.message.data();
    }
    destroy(reader);
    return problem;
}

}  // namespace muster::cli
