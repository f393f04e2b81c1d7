#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job stencil(Size size) {
    const std::uint32_t width = 80 * size.scale, height = 50 * size.scale;
    const std::size_t points = std::size_t{width} * height;
    const Floats before = Random(size.seed).floats(points, 0, 1);
    Job job{.arrays = {{"before", words_of(before)}, {"after", Words(points)}},
            .overrides = {override_of("width", width), override_of("height", height)},
            .steps = {{.grid = Invocations{width, height}}},
            .work = {.bytes = 8.0 * static_cast<double>(points), .flops = 5.0 * static_cast<double>(points)},
            .size = fmt::format("{} x {}", width, height)};
    job.expected = [=] {
        Doubles after(points);
        for (std::size_t y = 1; y + 1 < height; ++y)
            for (std::size_t x = 1; x + 1 < width; ++x) {
                const std::size_t i = y * width + x;
                after[i] = 0.2 * (double{before[i]} + before[i - 1] + before[i + 1] + before[i - width] +
                                  before[i + width]);
            }
        // Four sums of at most 5, and the product with a rounded factor.
        return std::vector{Expected{.array = "after", .values = std::move(after), .absolute = 6 * rounding}};
    };
    return job;
}

}  // namespace muster::kernels
