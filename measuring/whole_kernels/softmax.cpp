#include <algorithm>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job softmax(Size size) {
    const std::uint32_t rows = 5 * size.scale, columns = 300 * size.scale;
    const Floats before = Random(size.seed).floats(std::size_t{rows} * columns, -8, 8);
    Job job{.arrays = {{"before", words_of(before)}, {"after", Words(before.size())}},
            .overrides = {override_of("columns", columns)},
            .steps = {{.grid = Workgroups{rows}}}};
    job.work = {.bytes = 8.0 * static_cast<double>(before.size()),
                .flops = 5.0 * static_cast<double>(before.size())};
    job.size = fmt::format("{} x {}", rows, columns);
    job.expected = [=] {
        Doubles after;
        for (std::size_t row = 0; row < rows; ++row) {
            double sum = 0;
            const auto first = before.begin() + static_cast<std::ptrdiff_t>(row * columns);
            const auto last = first + columns;
            std::for_each(first, last, [&](double x) { sum += std::exp(x); });
            std::for_each(first, last, [&](double x) { after.push_back(std::exp(x) / sum); });
        }
        // The difference of two values of at most 8, rounded, makes the error of exp; then
        // come the sum's roundings.
        const double bound = (16 + 4 + columns) * rounding;
        return std::vector{Expected{.array = "after", .values = std::move(after), .relative = bound}};
    };
    return job;
}

}  // namespace muster::kernels
