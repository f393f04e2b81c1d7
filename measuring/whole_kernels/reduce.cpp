#include <numeric>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

// In passes, each of which leaves one sum per 512 values.
Job reduce(Size size) {
    constexpr std::uint32_t block = 512;
    const std::uint32_t count = 4000 * size.scale;
    const Floats values = Random(size.seed).floats(count, 0, 1);
    Job job{.arrays = {{"values", words_of(values)}},
            .work = {.bytes = 4.0 * count, .flops = 1.0 * count},
            .size = fmt::format("{} floats", count)};
    std::string last = "values";
    for (std::uint32_t left = count; left > 1;) {
        left = (left + block - 1) / block;
        const std::string sums = fmt::format("sums{}", job.steps.size());
        job.arrays.emplace(sums, Words(left));
        job.steps.push_back({.grid = Workgroups{left}, .bind = {{"values", last}, {"sums", sums}}});
        last = sums;
    }
    job.expected = [=] {
        const double sum = std::accumulate(values.begin(), values.end(), 0.0);
        // A pass is a tree of nine levels, with a rounding each.
        const double bound = 9 * static_cast<double>(job.steps.size()) * rounding;
        return std::vector{Expected{.array = last, .values = Doubles{sum}, .relative = bound}};
    };
    return job;
}

}  // namespace muster::kernels
