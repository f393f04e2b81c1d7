// jacobi.cpp - Jacobi's iteration, all sweeps in one dispatch with a grid barrier after each: every sweep is
// a phase, before which each member gets the rows that it lacks.
#include "shared.hpp"

struct Problem {
    std::uint32_t width, height, sweeps;
};

int main(int argc, char** argv) {
    constexpr Problem problem{256, 200, 30};
    return compare_with_one_device(argc, argv, [&](muster::ClusterSession& cluster) {
        const auto jacobi = cluster.prepare(kernel_of("jacobi/jacobi.wgsl")).value();
        std::vector<float> plate(problem.width * problem.height, 0.0f);
        for (std::uint32_t x = 0; x < problem.width; ++x) plate[x] = 100.0f;
        const muster::Sharded rows{.row_bytes = 4 * problem.width};
        const auto even = cluster.buffer(plate, rows).value(), odd = cluster.buffer(plate, rows).value();
        const auto ticket = cluster
                                .dispatch(jacobi, {{"problem", problem}, {"even", even}, {"odd", odd}},
                                          muster::Invocations{problem.width, problem.height})
                                .value();
        ticket.wait().value();
        return even.read_all<float>().value();
    });
}
