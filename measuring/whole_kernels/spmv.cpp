#include <algorithm>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

// Most rows are short, some empty, few long, as in matrices of networks.
Job spmv(Size size) {
    const std::uint32_t rows = 500 * size.scale, width = 400 * size.scale;
    Random random(size.seed);
    Words first{0}, columns;
    for (std::uint32_t row = 0; row < rows; ++row) {
        const std::uint32_t elements = std::min(200u, 2 * rows / (1 + random.below(rows))) - row % 2;
        for (std::uint32_t i = 0; i < elements; ++i) columns.push_back(random.below(width));
        first.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    const Floats elements = random.floats(columns.size(), -1, 1), x = random.floats(width, -1, 1);
    Job job{.arrays = {{"first", first},
                       {"columns", columns},
                       {"elements", words_of(elements)},
                       {"x", words_of(x)},
                       {"y", Words(rows)}},
            .overrides = {},
            .steps = {{.grid = Invocations{rows}}}};
    job.work = {.bytes = 4.0 * static_cast<double>(first.size() + 2 * columns.size() + x.size() + rows),
                .flops = 2.0 * static_cast<double>(columns.size())};
    job.size = fmt::format("{} rows, {} elements", rows, columns.size());
    job.expected = [=] {
        Doubles y(rows);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t i = first[row]; i < first[row + 1]; ++i)
                y[row] += double{elements[i]} * x[columns[i]];
        // As many roundings of sums as a row has elements, up to 200, each of which adds at most 1.
        const double bound = 200 * 201 * rounding;
        return std::vector{Expected{.array = "y", .values = std::move(y), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
