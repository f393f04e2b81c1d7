#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/pixels.hpp>
#include <muster/cli/support/file.hpp>

using namespace muster;
using namespace muster::cli;

namespace {

Image gradient(bool is_opaque) {
    Image image{5, 3, std::vector<std::byte>(5 * 3 * 4)};
    for (std::size_t i = 0; i < image.rgba.size(); ++i) image.rgba[i] = static_cast<std::byte>(i * 4);
    for (std::size_t i = 3; is_opaque && i < image.rgba.size(); i += 4) image.rgba[i] = std::byte{255};
    return image;
}

constexpr const char* photograph = "/usr/share/matplotlib/mpl-data/sample_data/grace_hopper.jpg";

}  // namespace

TEST_CASE("a PNG that was written reads back the same, opaque or not") {
    for (const bool is_opaque : {true, false}) {
        const Image image = gradient(is_opaque);
        const auto file = format_png(image);
        REQUIRE(file);
        const auto again = parse_image(*file, "x.png");
        REQUIRE(again);
        CHECK(again->width == 5);
        CHECK(again->height == 3);
        CHECK(again->rgba == image.rgba);
    }
}

TEST_CASE("a broken picture is an error that names it") {
    const auto whole = *format_png(gradient(false));
    for (std::size_t length = 0; length < whole.size() - 12;
         ++length) {  // its last 12 bytes are only the end marker
        const auto image = parse_image(std::span(whole).first(length), "cut.png");
        REQUIRE_FALSE(image);
        CHECK(image.error().message.find("\"cut.png\"") != std::string::npos);
    }
    CHECK(parse_image({}, "empty.png").error().message == "\"empty.png\" is neither PNG nor JPEG.");
}

TEST_CASE("a JPEG is read; cut off, it is an error") {
    const auto file = read_file(photograph);
    if (!file) {
        MESSAGE("python-matplotlib-data isn't installed: no photograph to read");
        return;
    }
    const auto image = parse_image(*file, "portrait.jpg");
    REQUIRE(image);
    CHECK(image->width == 512);
    CHECK(image->height == 600);
    CHECK(image->rgba.size() == 512 * 600 * 4);
    CHECK(image->rgba[3] == std::byte{255});
    for (const std::size_t length : {std::size_t{4}, std::size_t{100}, std::size_t{1000}, file->size() / 2}) {
        const auto cut = parse_image(std::span(*file).first(length), "cut.jpg");
        REQUIRE_FALSE(cut);
        CHECK(cut.error().message.find("\"cut.jpg\" can't be read as JPEG") == 0);
    }
}

TEST_CASE("pixels become words with R lowest, or floats from 0 to 1, and come back") {
    const Image image = gradient(false);
    std::vector<std::byte> words(image.rgba.size()), again(image.rgba.size());
    pixels_from_rgba(PixelForm::bytes, image.rgba, words);
    std::uint32_t second = 0;
    std::memcpy(&second, &words[4], 4);
    CHECK(second == 0x1c181410u);
    rgba_from_pixels(PixelForm::bytes, words, again);
    CHECK(again == image.rgba);

    std::vector<std::byte> floats(image.rgba.size() * 4);
    pixels_from_rgba(PixelForm::unit_floats, image.rgba, floats);
    rgba_from_pixels(PixelForm::unit_floats, floats, again);
    CHECK(again == image.rgba);
    const float odd[4] = {-1.0f, 2.0f, 0.0f / 0.0f, 0.5f};
    std::byte pixel[4];
    rgba_from_pixels(PixelForm::unit_floats, std::as_bytes(std::span(odd)), pixel);
    CHECK(pixel[0] == std::byte{0});
    CHECK(pixel[1] == std::byte{255});
    CHECK(pixel[2] == std::byte{0});
    CHECK(pixel[3] == std::byte{128});
}

TEST_CASE("files that aren't there say so") {
    CHECK(read_file("/nowhere/x").error().code == ErrorCode::not_found);
    CHECK(read_file("/").error().message == "The file \"/\" can't be read: Is a directory.");
    CHECK(write_file("/nowhere/x", {}).error().message ==
          "The file \"/nowhere/x\" can't be written: No such file or directory.");
    CHECK(extension_of("a/b.PNG") == ".png");
    CHECK(extension_of("a.b/c") == "");
}
