#include <algorithm>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job matvec_q8(Size size) {
    const std::uint32_t rows = 12 * size.scale, columns = 32 * 70 * size.scale;
    const std::size_t elements = std::size_t{rows} * columns;
    Random random(size.seed);
    const Words weights = random.words(elements / 4), x = random.words(columns / 4);
    const Floats weight_scales = random.floats(elements / 32, 0.001f, 0.01f);
    const Floats x_scales = random.floats(columns / 32, 0.001f, 0.01f);
    Job job{.arrays = {{"weights", weights},
                       {"weight_scales", words_of(weight_scales)},
                       {"x", x},
                       {"x_scales", words_of(x_scales)},
                       {"y", Words(rows)}},
            .overrides = {override_of("columns", columns)},
            .steps = {{.grid = Workgroups{rows}}}};
    job.expected = [=] {
        const auto dequantised = [](const Words& packed, const Floats& scales, std::size_t at) {
            const auto byte = static_cast<std::int8_t>(packed[at / 4] >> (8 * (at % 4)) & 0xff);
            return double{scales[at / 32]} * byte;
        };
        Doubles y(rows);
        double most = 0;  // the greatest sum of magnitudes
        for (std::size_t row = 0; row < rows; ++row) {
            double magnitudes = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                const double product =
                    dequantised(weights, weight_scales, row * columns + i) * dequantised(x, x_scales, i);
                y[row] += product;
                magnitudes += std::fabs(product);
            }
            most = std::max(most, magnitudes);
        }
        // Within a block all is exact; each of the sum's terms has three roundings, and
        // one for each term added.
        const double bound = (columns / 32.0 + 3) * rounding * most;
        return std::vector{Expected{.array = "y", .values = std::move(y), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
