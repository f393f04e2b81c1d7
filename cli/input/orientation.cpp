#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <libexif/exif-data.h>

#include <muster/cli/input/orientation.hpp>

namespace muster::cli {
namespace {

struct Unreference {
    void operator()(ExifData* data) const { exif_data_unref(data); }
};

int orientation_in(std::span<const std::byte> bytes) {
    if (bytes.size() > UINT32_MAX) return 1;
    const std::unique_ptr<ExifData, Unreference> data(exif_data_new_from_data(
        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned>(bytes.size())));
    if (!data) return 1;
    const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
    if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->size < 2) return 1;
    const int number = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
    return number >= 1 && number <= 8 ? number : 1;
}

}  // namespace

int orientation_in_jpeg(std::span<const std::byte> file) { return orientation_in(file); }

int orientation_in_exif(std::span<const std::byte> exif) {
    constexpr std::array<char, 6> mark{'E', 'x', 'i',
                                       'f', 0,   0};  // a JPEG has this prefix, a PNG's chunk doesn't
    if (exif.empty()) return 1;
    const auto mark_bytes = std::as_bytes(std::span(mark));
    std::vector<std::byte> marked(mark_bytes.begin(), mark_bytes.end());
    marked.insert(marked.end(), exif.begin(), exif.end());
    return orientation_in(marked);
}

Image upright(Image image, int orientation) {
    if (orientation <= 1 || orientation > 8) return image;
    const bool swaps = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Image turned{swaps ? image.height : image.width, swaps ? image.width : image.height,
                 std::vector<std::byte>(image.rgba.size())};
    std::byte* to = turned.rgba.data();
    for (std::uint32_t y = 0; y < turned.height; ++y) {
        for (std::uint32_t x = 0; x < turned.width; ++x, to += 4) {
            std::uint32_t column = swaps ? y : x, row = swaps ? x : y;
            if (from_right) column = image.width - 1 - column;
            if (from_below) row = image.height - 1 - row;
            std::memcpy(to, &image.rgba[(std::size_t{row} * image.width + column) * 4], 4);
        }
    }
    return turned;
}

}  // namespace muster::cli
