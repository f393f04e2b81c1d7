#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job saxpy(Size size) {
    const std::uint32_t count = 4096 * size.scale;
    const float a = 0.001f;
    Random random(size.seed);
    const Floats x = random.floats(count, 0, 1), y = random.floats(count, 1, 2);
    Job job{.arrays = {{"x", words_of(x)}, {"y", words_of(y)}},
            .steps = {{.grid = Invocations{count}, .uniforms = {{"a", words_of(Floats{a})}}}},
            .work = {.bytes = 12.0 * count, .flops = 2.0 * count},
            .size = fmt::format("{} floats", count)};
    job.expected = [=] {
        Doubles sums;
        for (std::size_t i = 0; i < count; ++i) sums.push_back(double{a} * x[i] + y[i]);
        return std::vector{Expected{.array = "y", .values = std::move(sums), .relative = 2 * rounding}};
    };
    return job;
}

}  // namespace muster::kernels
