// photo.cpp - a filter on a picture that one process has: rows go to the members, those that a filter's tap reaches come from the
// neighbours, and process 0 collects the result and writes it: photo [--side N] [--out FILE.ppm] [DEVICE...]
#include <array>
#include <filesystem>

#include "shared.hpp"

namespace {

/// Writes a picture; the file is there only once all of it is written.
void write_picture(const std::string& file, const std::vector<float>& pixels, std::uint32_t side) {
    const std::string unfinished = file + ".unfinished";
    {
        std::ofstream stream(unfinished, std::ios::binary);
        stream << "P6 " << side << " " << side << " 255\n";
        for (std::size_t i = 0; i < pixels.size(); ++i)
            if (i % 4 != 3) stream.put(static_cast<char>(static_cast<unsigned char>(pixels[i] * 255.0f)));
    }
    std::filesystem::rename(unfinished, file);
}

}  // namespace

int main(int argc, char** argv) {
    std::uint32_t side = 512;
    std::string file;
    while (argc > 2 && argv[1][0] == '-') {
        if (argv[1] == std::string("--side"))
            side = static_cast<std::uint32_t>(std::stoul(argv[2]));
        else
            file = argv[2];
        argc -= 2;
        argv += 2;
    }
    return compare_with_one_device(argc, argv, [&](muster::ClusterSession& cluster) {
        const auto filter = cluster.prepare(kernel_of("photo/photo.wgsl")).value();
        const std::size_t values = std::size_t{4} * side * side;
        const muster::Sharded rows{.row_bytes = std::uint64_t{16} * side};
        auto source = cluster.zeros<float>(values, rows).value();
        const auto result = cluster.zeros<float>(values, rows).value();
        const std::vector<float> picture = cluster.rank() == 0 ? some_numbers(values) : std::vector<float>();
        source.write_bytes_from(0, std::as_bytes(std::span(picture))).value();
        const std::array size{side, side};
        cluster
            .dispatch(filter, {{"source", source}, {"result", result}, {"size", size}},
                      muster::Invocations{side, side})
            .value();
        std::vector<float> filtered = result.read_on<float>(0).value();
        if (cluster.rank() == 0 && cluster.members().size() > 1 && !file.empty())
            write_picture(file, filtered, side);
        return filtered;
    });
}
