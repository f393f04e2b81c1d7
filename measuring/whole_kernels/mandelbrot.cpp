#include <numeric>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {
namespace {

constexpr std::uint32_t limit = 256;

std::uint32_t escape_steps(float x, float y) {
    float re = 0, im = 0;
    for (std::uint32_t i = 0; i < limit; ++i) {
        if (re * re + im * im > 4) return i;
        const float next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
    }
    return limit;
}

}  // namespace

// The seed moves the edge of the picture by cutting columns off.
Job mandelbrot(Size size) {
    const std::uint32_t height = 64 * size.scale, width = height - size.seed % 16;
    Words steps;
    for (std::uint32_t row = 0; row < height; ++row)
        for (std::uint32_t column = 0; column < width; ++column) {
            const float u = (static_cast<float>(column) + 0.5f) / static_cast<float>(width);
            const float v = (static_cast<float>(row) + 0.5f) / static_cast<float>(height);
            steps.push_back(escape_steps(-2.0f * (1 - u) + 0.5f * u, -1.25f * (1 - v) + 1.25f * v));
        }
    const double turns = std::accumulate(steps.begin(), steps.end(), 0.0);
    Job job{.arrays = {{"steps", Words(steps.size())}},
            .overrides = {override_of("width", width), override_of("height", height),
                          override_of("limit", limit)},
            .steps = {{.grid = Invocations{width, height}}},
            .work = {.bytes = 4.0 * static_cast<double>(steps.size()), .flops = 10 * turns},
            .size = fmt::format("{} x {}", width, height)};
    job.expected = [=] {
        // In fast mode, points near the set's edge leave the circle earlier or later.
        return std::vector{Expected{.array = "steps", .values = steps, .strays = steps.size() / 50}};
    };
    return job;
}

}  // namespace muster::kernels
