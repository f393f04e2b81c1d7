#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job matmul(Size size) {
    const std::uint32_t rows = 70 * size.scale, columns = 90 * size.scale, inner = 50 * size.scale;
    Random random(size.seed);
    const Floats a = random.floats(std::size_t{rows} * inner, -1, 1);
    const Floats b = random.floats(std::size_t{inner} * columns, -1, 1);
    const std::size_t elements = std::size_t{rows} * columns;
    Job job{.arrays = {{"a", words_of(a)}, {"b", words_of(b)}, {"c", Words(elements)}}};
    job.steps = {{.grid = Workgroups{(columns + 63) / 64, (rows + 63) / 64},
                  .uniforms = {{"sizes", {rows, columns, inner}}}}};
    job.work = {.bytes = 4.0 * static_cast<double>(a.size() + b.size() + elements),
                .flops = 2.0 * inner * static_cast<double>(elements)};
    job.size = fmt::format("{} x {} x {}", rows, columns, inner);
    job.expected = [=] {
        Doubles c(elements);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = 0; k < inner; ++k)
                for (std::size_t column = 0; column < columns; ++column)
                    c[row * columns + column] += double{a[row * inner + k]} * b[k * columns + column];
        // `inner` roundings of products of at most 1, and of as many sums of at most `inner`.
        const double bound = (inner + 1.0) * inner * rounding;
        return std::vector{Expected{.array = "c", .values = std::move(c), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
