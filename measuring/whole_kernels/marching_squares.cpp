#include <array>
#include <numbers>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

namespace {

struct Point {
    double x, y;
};

/// A cell's segments, without a table of cases: one for each run of corners inside, from the side behind its
/// last corner to the side before its first.
void cut_cell(const std::array<Point, 4>& corners, const std::array<double, 4>& values, Doubles& segments) {
    const auto is_inside = [&](std::size_t corner) { return values[corner % 4] >= 0; };
    const auto add_crossing = [&](std::size_t from, std::size_t to) {
        const double part = values[from] / (values[from] - values[to]);
        segments.push_back(corners[from].x + part * (corners[to].x - corners[from].x));
        segments.push_back(corners[from].y + part * (corners[to].y - corners[from].y));
    };
    for (std::size_t first = 0; first < 4; ++first) {
        if (!is_inside(first) || is_inside(first + 3)) continue;
        std::size_t last = first;
        while (is_inside(last + 1)) ++last;
        add_crossing(last % 4, (last + 1) % 4);
        add_crossing(first, (first + 3) % 4);
    }
}

}  // namespace

Job marching_squares(Size size) {
    const std::uint32_t width = 37 * size.scale, height = 29 * size.scale;
    Random random(size.seed);
    Floats field;
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            const float wave = static_cast<float>(std::sin(0.3 * x) * std::cos(0.4 * y));
            field.push_back(wave + random.between(-0.5f, 0.5f));
        }
    // Small workgroups for a small grid, so that the scan has several turns.
    const std::uint32_t block = size.scale == 1 ? 16 : 256;
    const std::uint32_t cells = (width - 1) * (height - 1), groups = (cells + block - 1) / block;
    Job job{.arrays = {{"field", words_of(field)},
                       {"starts", Words(cells)},
                       {"totals", Words(groups)},
                       {"segments", Words(std::size_t{8} * cells)}},
            .overrides = {override_of("width", width), override_of("height", height),
                          override_of("block", block)},
            .steps = {{"count", Workgroups{groups}}, {"scan", Workgroups{1}}, {"draw", Workgroups{groups}}}};
    job.expected = [=] {
        Doubles segments;
        for (std::size_t y = 0; y + 1 < height; ++y)
            for (std::size_t x = 0; x + 1 < width; ++x) {
                const auto at = [&](std::size_t dx, std::size_t dy) {
                    return double{field[(y + dy) * width + x + dx]};
                };
                const double left = static_cast<double>(x), low = static_cast<double>(y);
                cut_cell({{{left, low}, {left + 1, low}, {left + 1, low + 1}, {left, low + 1}}},
                         {at(0, 0), at(1, 0), at(1, 1), at(0, 1)}, segments);
            }
        segments.resize(std::size_t{8} * cells);  // nothing is written behind them
        // A part has three roundings, of at most 1; a coordinate one, of at most the greater side.
        const double bound = (3 + width + height) * rounding;
        return std::vector{Expected{.array = "segments", .values = std::move(segments), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
