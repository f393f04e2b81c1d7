#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job transpose(Size size) {
    const std::uint32_t tiles = 2 * size.scale, side = 32 * tiles;
    const std::size_t elements = std::size_t{side} * side;
    const Words before = words_of(Random(size.seed).floats(elements, -1, 1));
    Job job{.arrays = {{"before", before}, {"after", Words(elements)}},
            .overrides = {override_of("side", side)},
            .steps = {{.grid = Workgroups{tiles, tiles}}},
            .work = {.bytes = 8.0 * static_cast<double>(elements)},
            .size = fmt::format("{} x {}", side, side)};
    job.expected = [=] {
        Words after(elements);
        for (std::size_t row = 0; row < side; ++row)
            for (std::size_t column = 0; column < side; ++column)
                after[column * side + row] = before[row * side + column];
        return std::vector{Expected{.array = "after", .values = std::move(after)}};
    };
    return job;
}

}  // namespace muster::kernels
