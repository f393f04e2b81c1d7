#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job histogram(Size size) {
    const std::uint32_t count = 5000 * size.scale, groups = (count + 4095) / 4096;
    const Words words = Random(size.seed).words(count);
    Job job{.arrays = {{"words", words}, {"counts", Words(256)}},
            .steps = {{.grid = Workgroups{groups}}},
            .work = {.bytes = 4.0 * count},
            .size = fmt::format("{} bytes", std::uint64_t{4} * count)};
    job.expected = [=] {
        Words counts(256);
        for (const std::uint32_t word : words)
            for (const std::uint32_t shift : {0u, 8u, 16u, 24u}) ++counts[word >> shift & 255];
        return std::vector{Expected{.array = "counts", .values = std::move(counts)}};
    };
    return job;
}

}  // namespace muster::kernels
