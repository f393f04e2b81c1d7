#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job layernorm(Size size) {
    const std::uint32_t rows = 6 * size.scale, columns = 300 * size.scale;
    Random random(size.seed);
    const Floats before = random.floats(std::size_t{rows} * columns, -1, 3);
    const Floats gain = random.floats(columns, 0.5f, 2), bias = random.floats(columns, -1, 1);
    Job job{.arrays = {{"before", words_of(before)},
                       {"gain", words_of(gain)},
                       {"bias", words_of(bias)},
                       {"after", Words(before.size())}},
            .overrides = {override_of("columns", columns)},
            .steps = {{.grid = Workgroups{rows}}}};
    job.work = {.bytes = 8.0 * static_cast<double>(before.size() + columns),
                .flops = 8.0 * static_cast<double>(before.size())};
    job.size = fmt::format("{} x {}", rows, columns);
    job.expected = [=] {
        Doubles after;
        for (std::size_t row = 0; row < rows; ++row) {
            const float* const x = before.data() + row * columns;
            double sum = 0, squares = 0;
            for (std::size_t i = 0; i < columns; ++i) sum += x[i], squares += double{x[i]} * x[i];
            const double mean = sum / columns, variance = squares / columns - mean * mean;
            for (std::size_t i = 0; i < columns; ++i)
                after.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] + bias[i]);
        }
        // The mean, of values up to 3, has at most `columns` roundings; so has the variance. The deviation is
        // about 1.2 and the gain at most 2.
        const double bound = 2 * (3 + 2) * columns * rounding;
        return std::vector{Expected{.array = "after", .values = std::move(after), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
