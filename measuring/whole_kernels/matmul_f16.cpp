#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job matmul_f16(Size size) {
    const std::uint32_t rows = 70 * size.scale, columns = 92 * size.scale, inner = 52 * size.scale;
    Random random(size.seed);
    const Halves a = random.halves(std::size_t{rows} * inner, -1, 1);
    const Halves b = random.halves(std::size_t{inner} * columns, -1, 1);
    const std::size_t elements = std::size_t{rows} * columns;
    Job job{.arrays = {{"a", words_of(a)}, {"b", words_of(b)}, {"c", Words(elements)}}};
    job.steps = {{.grid = Workgroups{(columns + 31) / 32, (rows + 31) / 32},
                  .uniforms = {{"sizes", {rows, columns / 4, inner}}}}};
    job.expected = [=] {
        Doubles c(elements);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = 0; k < inner; ++k)
                for (std::size_t column = 0; column < columns; ++column)
                    c[row * columns + column] +=
                        double{float{a[row * inner + k]}} * float{b[k * columns + column]};
        // `inner` roundings of sums of at most `inner`; the products are exact.
        const double bound = 1.0 * inner * inner * rounding;
        return std::vector{Expected{.array = "c", .values = std::move(c), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
