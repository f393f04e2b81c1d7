// photo.cpp - a filter on a picture that one process has: rows go to the members, those that a filter's tap
// reaches come from the neighbours, and process 0 collects the result and writes it: photo [--side N]
// [--out FILE.pam] [DEVICE...]
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "shared.hpp"

namespace {

using Pixels = std::vector<std::uint32_t>;  // red, green, blue and alpha from the lowest byte on

/// A blend of colours with noise in its blue.
Pixels noisy_picture(std::uint32_t side) {
    Pixels pixels;
    pixels.reserve(std::size_t{side} * side);
    std::uint32_t random = 1;
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            random = 1664525 * random + 1013904223;
            pixels.push_back(255u << 24 | random >> 26 << 16 | 255 * y / side << 8 | 255 * x / side);
        }
    return pixels;
}

/// Writes a picture; the file is there only once all of it is written.
void write_picture(const std::string& file, const Pixels& pixels, std::uint32_t side) {
    const std::string unfinished = file + ".unfinished";
    std::ofstream stream;
    stream.exceptions(std::ios::failbit | std::ios::badbit);
    stream.open(unfinished, std::ios::binary);
    stream << "P7\nWIDTH " << side << "\nHEIGHT " << side
           << "\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n";
    stream.write(reinterpret_cast<const char*>(pixels.data()),
                 static_cast<std::streamsize>(std::span(pixels).size_bytes()));
    stream.close();
    std::filesystem::rename(unfinished, file);
}

}  // namespace

int main(int argc, char** argv) {
    std::uint32_t side = 512;
    std::string file;
    for (; argc > 2 && argv[1][0] == '-'; argc -= 2, argv += 2)
        if (argv[1] == std::string_view("--side"))
            side = static_cast<std::uint32_t>(std::stoul(argv[2]));
        else if (argv[1] == std::string_view("--out"))
            file = argv[2];
        else
            break;
    return compare_with_one_device(argc, argv, [&](muster::ClusterSession& cluster) {
        const auto filter = cluster.prepare(kernel_of("cluster/photo.wgsl")).value();
        const std::size_t pixels = std::size_t{side} * side;
        const muster::Sharded rows{.row_bytes = std::uint64_t{4} * side};
        auto source = cluster.zeros<std::uint32_t>(pixels, rows).value();
        const auto result = cluster.zeros<std::uint32_t>(pixels, rows).value();
        const Pixels picture = cluster.rank() == 0 ? noisy_picture(side) : Pixels();
        source.write_bytes_from(0, std::as_bytes(std::span(picture))).value();
        const std::array size{side, side};
        cluster
            .dispatch(filter, {{"source", source}, {"result", result}, {"size", size}},
                      muster::Invocations{side, side})
            .value();
        Pixels filtered = result.read_on<std::uint32_t>(0).value();
        if (cluster.rank() == 0 && !file.empty()) write_picture(std::exchange(file, ""), filtered, side);
        return filtered;
    });
}
