// Pictures made byte by byte: 16 bits, gamma, EXIF orientation, sizes larger than the file.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/jpeg.hpp>
#include <muster/cli/input/orientation.hpp>
#include <muster/cli/input/png.hpp>

using namespace muster;
using namespace muster::cli;

namespace {

std::string big_endian(std::uint64_t value, int bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(value >> (bytes * 8));
    return text;
}

std::uint32_t crc(std::string_view text) {
    std::uint32_t sum = ~0u;
    for (const char c : text) {
        sum ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) sum = (sum >> 1) ^ (0xedb88320u & (0 - (sum & 1)));
    }
    return ~sum;
}

std::string chunk(const std::string& name, const std::string& data) {
    return big_endian(data.size(), 4) + name + data + big_endian(crc(name + data), 4);
}

/// Zlib data, stored without compression.
std::string zlib(const std::string& data) {
    std::uint32_t a = 1, b = 0;
    for (const char c : data) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    const std::string length = big_endian(data.size(), 2), inverse = big_endian(~data.size(), 2);
    return std::string("\x78\x01\x01", 3) + length[1] + length[0] + inverse[1] + inverse[0] + data +
           big_endian(std::uint64_t{b} << 16 | a, 4);
}

/// A PNG file. `colour`: PNG's colour type. `rows`: each with its filter byte first. `between`: chunks before
/// the pixels.
std::string png(std::uint32_t width, std::uint32_t height, int depth, int colour, const std::string& rows,
                const std::string& between = {}) {
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", big_endian(width, 4) + big_endian(height, 4) + static_cast<char>(depth) +
                             static_cast<char>(colour) + std::string(3, '\0')) +
           between + chunk("IDAT", zlib(rows)) + chunk("IEND", "");
}

/// EXIF with nothing but an orientation.
std::string exif(int orientation, bool is_little_endian = false) {
    if (is_little_endian)
        return std::string("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) +
               static_cast<char>(orientation) + std::string(7, '\0');
    return std::string("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) +
           static_cast<char>(orientation) + std::string(6, '\0');
}

/// Grey; the left 8 columns are 128, the others 142. One byte of data.
std::string jpeg(std::uint32_t width = 16, std::uint32_t height = 8, const std::string& after_start = {}) {
    const auto segment = [](char marker, const std::string& data) {
        return std::string("\xff") + marker + big_endian(data.size() + 2, 2) + data;
    };
    return "\xff\xd8" + after_start + segment('\xdb', std::string(1, '\0') + std::string(64, '\x10')) +
           segment('\xc0',
                   "\x08" + big_endian(height, 2) + big_endian(width, 2) + std::string("\x01\x01\x11\0", 4)) +
           segment('\xc4', std::string("\0\x01\x01", 3) + std::string(14, '\0') + std::string("\0\x03", 2)) +
           segment('\xc4', std::string("\x10\x01", 2) + std::string(15, '\0') + std::string(1, '\0')) +
           segment('\xda', std::string("\x01\x01\0\0\x3f\0", 6)) + "\x2e\xff\xd9";
}

std::string app1(const std::string& data) {
    const std::string whole = std::string("Exif\0\0", 6) + data;
    return "\xff\xe1" + big_endian(whole.size() + 2, 2) + whole;
}

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

Image read(const std::string& file) {
    auto image = parse_image(bytes(file), "x");
    REQUIRE_MESSAGE(image, image.error().message);
    return *std::move(image);
}

std::string problem_of(const std::string& file) {
    const auto image = parse_image(bytes(file), "x");
    return image ? "" : image.error().to_string();
}

std::array<int, 4> pixel(const Image& image, std::uint32_t x, std::uint32_t y) {
    std::array<int, 4> components{};
    for (std::size_t i = 0; i < 4; ++i)
        components[i] = std::to_integer<int>(image.rgba[(std::size_t{y} * image.width + x) * 4 + i]);
    return components;
}

}  // namespace

TEST_CASE("16-bit components are rounded to 8, and keep their brightness") {
    const std::string grey =
        big_endian(0, 1) + big_endian(59500, 2) + big_endian(128, 2) + big_endian(65535, 2);
    const Image image = read(png(3, 1, 16, 0, grey));
    CHECK(pixel(image, 0, 0) == std::array{232, 232, 232, 255});
    CHECK(pixel(image, 1, 0) == std::array{0, 0, 0, 255});
    CHECK(pixel(image, 2, 0) == std::array{255, 255, 255, 255});
    for (std::uint64_t value = 0; value < 65536; value += 97) {
        const std::string rgba =
            big_endian(value, 2) + big_endian(0, 2) + big_endian(65535, 2) + big_endian(value, 2);
        const Image one = read(png(1, 1, 16, 6, std::string(1, '\0') + rgba));
        const int nearest = static_cast<int>((value * 255 + 32767) / 65535);
        CHECK(pixel(one, 0, 0) == std::array{nearest, 0, 255, nearest});
    }
}

TEST_CASE("what a PNG says of gamma changes nothing of its components") {
    const std::string rows = std::string("\0\x40\x80\xc0", 4);
    for (const std::uint32_t gamma : {100000u, 45455u, 22727u}) {
        const Image image = read(png(1, 1, 8, 2, rows, chunk("gAMA", big_endian(gamma, 4))));
        CHECK(pixel(image, 0, 0) == std::array{0x40, 0x80, 0xc0, 255});
    }
}

TEST_CASE("palettes, few bits, transparent colours and interlaced rows become RGBA") {
    const std::string palette = chunk("PLTE", "abcdef") + chunk("tRNS", std::string("\x07", 1));
    const Image indexed = read(png(2, 1, 1, 3, std::string("\0\x40", 2), palette));
    CHECK(pixel(indexed, 0, 0) == std::array{97, 98, 99, 7});
    CHECK(pixel(indexed, 1, 0) == std::array{100, 101, 102, 255});
    const Image grey = read(png(2, 1, 2, 0, std::string("\0\x60", 2), chunk("tRNS", big_endian(2, 2))));
    CHECK(pixel(grey, 0, 0) == std::array{85, 85, 85, 255});
    CHECK(pixel(grey, 1, 0) == std::array{170, 170, 170, 0});
    const Image alpha = read(png(1, 1, 8, 4, std::string("\0\x0a\x0b", 3)));
    CHECK(pixel(alpha, 0, 0) == std::array{10, 10, 10, 11});
    std::string interlaced = png(2, 2, 8, 0, std::string("\0\x01\0\x02\0\x03\x04", 7));
    interlaced[8 + 8 + 12] = 1;
    const std::string header = interlaced.substr(8 + 4, 4 + 13);
    interlaced.replace(8 + 8 + 13, 4, big_endian(crc(header), 4));
    const Image woven = read(interlaced);
    CHECK(pixel(woven, 0, 0)[0] == 1);
    CHECK(pixel(woven, 1, 0)[0] == 2);
    CHECK(pixel(woven, 0, 1)[0] == 3);
    CHECK(pixel(woven, 1, 1)[0] == 4);
}

TEST_CASE("pictures are turned upright as their EXIF orientation says") {
    CHECK(pixel(read(jpeg()), 0, 0)[0] == 128);
    CHECK(pixel(read(jpeg()), 15, 7)[0] == 142);
    // True if width and height are swapped; and the corner whose pixels are dark: the top left one, or the opposite.
    const struct {
        int number;
        bool is_swapped, starts_dark;
    } expected[] = {{1, false, true}, {2, false, false}, {3, false, false}, {4, false, true},
                    {5, true, true},  {6, true, true},   {7, true, false},  {8, true, false},
                    {0, false, true}, {9, false, true}};
    for (const bool is_little_endian : {false, true})
        for (const auto& [number, is_swapped, starts_dark] : expected) {
            CAPTURE(number);
            const Image image = read(jpeg(16, 8, app1(exif(number, is_little_endian))));
            CHECK(image.width == (is_swapped ? 8 : 16));
            CHECK(image.height == (is_swapped ? 16 : 8));
            CHECK(pixel(image, 0, 0)[0] == (starts_dark ? 128 : 142));
            CHECK(pixel(image, image.width - 1, image.height - 1)[0] == (starts_dark ? 142 : 128));
        }
    const Image turned = read(png(2, 1, 8, 0, std::string("\0\x01\x02", 3), chunk("eXIf", exif(8))));
    CHECK(turned.width == 1);
    CHECK(pixel(turned, 0, 0)[0] == 2);
    CHECK(pixel(turned, 0, 1)[0] == 1);
}

TEST_CASE("each of the eight orientations puts every pixel where it belongs") {
    Image image{3, 2, std::vector<std::byte>(24)};
    for (std::size_t i = 0; i < 6; ++i) image.rgba[i * 4] = static_cast<std::byte>('a' + i);
    const auto letters = [](const Image& of) {
        std::string text;
        for (std::uint32_t y = 0; y < of.height; ++y) {
            for (std::uint32_t x = 0; x < of.width; ++x) text += static_cast<char>(pixel(of, x, y)[0]);
            text += '/';
        }
        return text;
    };
    const char* expected[] = {"abc/def/",  "cba/fed/",  "fed/cba/",  "def/abc/",
                              "ad/be/cf/", "da/eb/fc/", "fc/eb/da/", "cf/be/ad/"};
    for (int number = 1; number <= 8; ++number)
        CHECK(letters(upright(image, number)) == expected[number - 1]);
}

TEST_CASE("EXIF that is damaged or cut off says nothing") {
    const std::string whole = exif(6);
    CHECK(orientation_in_exif(bytes(whole)) == 6);
    for (std::size_t length = 0; length < 20; ++length) {
        const int orientation = orientation_in_exif(bytes(whole).first(length));
        CHECK(orientation == 1);
    }
    for (std::size_t i = 0; i < whole.size() * 8; ++i) {
        std::string damaged = whole;
        damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
        const int orientation = orientation_in_exif(bytes(damaged));
        CHECK((orientation >= 1 && orientation <= 8));
    }
}

TEST_CASE("a size that the file can't hold is an error before there is room for the pixels") {
    const std::string damaged = jpeg(11000, 11000);
    CHECK(problem_of(damaged).find("it is cut off: it has " + std::to_string(damaged.size()) +
                                   " bytes, and 11000 x 11000 pixels take at least 236328") !=
          std::string::npos);
    CHECK(problem_of(jpeg(65500, 65500)).find("more than the 134217728 that can be read") !=
          std::string::npos);
    CHECK(problem_of(png(11000, 11000, 8, 6, "x")).find("it is cut off") != std::string::npos);
    CHECK(problem_of(png(2000000, 2000, 8, 0, "x")).find("2000000 x 2000 pixels, more than") !=
          std::string::npos);
    CHECK(png_size(bytes(png(11000, 11000, 8, 6, "x"))).least_bytes > 100000);
    CHECK(png_size(bytes(png(1, 1, 8, 6, "x"))).least_bytes == 0);
}

TEST_CASE("data that ends before the last row, or isn't there, is an error") {
    CHECK(problem_of(jpeg(32, 8))
              .find("can't be read as JPEG: Corrupt JPEG data: premature end of data segment") !=
          std::string::npos);
    for (std::size_t length = 2; length < jpeg().size() - 2; ++length)
        CHECK(problem_of(jpeg().substr(0, length)).find("\"x\"") == 0);
    CHECK(problem_of(png(3, 3, 8, 0, std::string("\0\x01\x02\x03", 4))).find("can't be read as PNG") !=
          std::string::npos);
    std::string bit_flipped = png(3, 1, 8, 0, std::string("\0\x01\x02\x03", 4));
    bit_flipped[bit_flipped.size() - 22] = static_cast<char>(bit_flipped[bit_flipped.size() - 22] ^ 1);
    CHECK(problem_of(bit_flipped).find("can't be read as PNG") != std::string::npos);
}

TEST_CASE("a JPEG with four components is refused with what to do") {
    const std::string cmyk = std::string("\xff\xd8\xff\xc0\0\x14\x08\0\x08\0\x08\x04", 12) +
                             std::string("\x01\x11\0\x02\x11\0\x03\x11\0\x04\x11\0", 12) +
                             std::string("\xff\xda\0\x0e\x04\x01\0\x02\0\x03\0\x04\0\0\x3f\0", 16) +
                             "\xff\xd9";
    const std::string problem = problem_of(cmyk);
    CHECK_MESSAGE(problem.find("four colour components (CMYK)") != std::string::npos, problem);
    CHECK(problem.find("\nFix: convert it") != std::string::npos);
}
