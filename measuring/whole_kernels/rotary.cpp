#include <complex>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job rotary(Size size) {
    const std::uint32_t rows = 9 * size.scale, heads = 3, values = 40, first = 100;
    const Floats before = Random(size.seed).floats(std::size_t{rows} * heads * values, -1, 1);
    Job job{.arrays = {{"values", words_of(before)}},
            .overrides = {override_of("heads", heads), override_of("size", values)}};
    job.steps = {{.grid = Invocations{values / 2, heads, rows}, .uniforms = {{"first", {first}}}}};
    job.expected = [=] {
        Doubles after(before.size());
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t head = 0; head < heads; ++head)
                for (std::size_t i = 0; i < values / 2; ++i) {
                    const std::size_t low = (row * heads + head) * values + i, high = low + values / 2;
                    const double angle = static_cast<double>(first + row) *
                                         std::pow(10000.0, -2.0 * static_cast<double>(i) / values);
                    const std::complex<double> turned =
                        std::complex<double>(before[low], before[high]) * std::polar(1.0, angle);
                    after[low] = turned.real(), after[high] = turned.imag();
                }
        // The angle is off by about 32 roundings, most of them of the exponent, whose magnitude is up to 13.
        const double bound = 32.0 * (first + rows) * rounding;
        return std::vector{Expected{.array = "values", .values = std::move(after), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
