// matmul.cpp - c = a * b, by rows: each member has a block of rows of a and c, and all of b.
#include "shared.hpp"

struct Sizes {
    std::uint32_t rows, columns, inner;
};

int main(int argc, char** argv) {
    constexpr Sizes sizes{200, 150, 100};
    return compare_with_one_device(argc, argv, [&](muster::ClusterSession& cluster) {
        const auto multiply = cluster.prepare(kernel_of("kernels/matmul.wgsl")).value();
        const auto a =
            cluster
                .buffer(some_numbers(sizes.rows * sizes.inner), muster::Sharded{.row_bytes = 4 * sizes.inner})
                .value();
        const auto b = cluster.buffer(some_numbers(sizes.inner * sizes.columns)).value();
        const auto c =
            cluster.zeros<float>(sizes.rows * sizes.columns, muster::Sharded{.row_bytes = 4 * sizes.columns})
                .value();
        const auto ticket = cluster
                                .dispatch(multiply, {{"sizes", sizes}, {"a", a}, {"b", b}, {"c", c}},
                                          muster::Invocations{sizes.columns, sizes.rows})
                                .value();
        ticket.wait().value();
        return c.read_all<float>().value();
    });
}
