// stencil.cpp - heat on a plate, step by step: each member has a block of rows, and gets the row above and
// below it before each step. Nobody says that: the kernel's reads do.
#include <utility>

#include "shared.hpp"

int main(int argc, char** argv) {
    constexpr std::uint32_t width = 512, height = 384, steps = 20;
    return compare_with_one_device(argc, argv, [](muster::ClusterSession& cluster) {
        const auto step =
            cluster
                .prepare(kernel_of("cluster/stencil.wgsl",
                                   {{"width", std::to_string(width)}, {"height", std::to_string(height)}}))
                .value();
        const muster::Sharded rows{.row_bytes = 4 * width};
        auto before = cluster.buffer(some_numbers(width * height), rows).value();
        auto after = cluster.buffer(some_numbers(width * height), rows).value();
        for (std::uint32_t i = 0; i < steps; ++i) {
            cluster.dispatch(step, {{"before", before}, {"after", after}}, muster::Invocations{width, height})
                .value();
            std::swap(before, after);
        }
        return before.read_all<float>().value();
    });
}
