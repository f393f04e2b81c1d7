// nbody.cpp - bodies that attract each other: every member computes its own, from all of them, so each step
// gathers everything everywhere.
#include <array>
#include <utility>

#include "shared.hpp"

struct Body {
    std::array<float, 3> position;
    float mass;
    std::array<float, 3> velocity;
    float unused = 0;
};

int main(int argc, char** argv) {
    constexpr std::uint32_t count = 1024, steps = 5;
    struct {
        float time_step = 0.001f, softening = 0.1f;
    } settings;
    return compare_with_one_device(argc, argv, [&](muster::ClusterSession& cluster) {
        const auto step = cluster.prepare(kernel_of("kernels/nbody.wgsl")).value();
        const std::vector<float> random = some_numbers(4 * count);
        std::vector<Body> bodies;
        for (std::uint32_t i = 0; i < count; ++i)
            bodies.push_back({{random[4 * i], random[4 * i + 1], random[4 * i + 2]}, random[4 * i + 3], {}});
        const muster::Sharded blocks{.row_bytes = sizeof(Body)};
        auto before = cluster.buffer(bodies, blocks).value(), after = cluster.buffer(bodies, blocks).value();
        for (std::uint32_t i = 0; i < steps; ++i) {
            cluster
                .dispatch(step, {{"settings", settings}, {"before", before}, {"after", after}},
                          muster::Invocations{count})
                .value();
            std::swap(before, after);
        }
        return before.read_all<float>().value();
    });
}
