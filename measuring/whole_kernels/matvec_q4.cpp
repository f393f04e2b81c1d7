#include <algorithm>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job matvec_q4(Size size) {
    const std::uint32_t rows = 12 * size.scale, columns = 32 * 70 * size.scale;
    const std::size_t elements = std::size_t{rows} * columns;
    Random random(size.seed);
    const Words weights = random.words(elements / 8);
    const Floats scales = random.floats(elements / 32, 0.001f, 0.01f), x = random.floats(columns, -1, 1);
    Job job{.arrays = {{"weights", weights},
                       {"scales", words_of(scales)},
                       {"x", words_of(x)},
                       {"y", Words(rows)}},
            .overrides = {override_of("columns", columns)},
            .steps = {{.grid = Workgroups{rows}}}};
    job.work = {.bytes = 4.0 * static_cast<double>(weights.size() + scales.size() + x.size() + rows),
                .flops = 2.0 * static_cast<double>(elements)};
    job.size = fmt::format("{} x {}", rows, columns);
    job.expected = [=] {
        Doubles y(rows);
        double most = 0;  // the greatest sum of magnitudes
        for (std::size_t row = 0; row < rows; ++row) {
            double magnitudes = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                const std::size_t at = row * columns + i;
                const int weight = static_cast<int>(weights[at / 8] >> (4 * (at % 8)) & 15) - 8;
                const double product = double{scales[at / 32]} * weight * x[i];
                y[row] += product;
                magnitudes += std::fabs(product);
            }
            most = std::max(most, magnitudes);
        }
        // Roundings of a product, of the sum of a block's 32, and one for each block.
        const double bound = (columns / 32.0 + 34) * rounding * most;
        return std::vector{Expected{.array = "y", .values = std::move(y), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
