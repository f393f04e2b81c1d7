// saxpy.cpp - y = 2 * x + y over a cluster: each member has a block of both arrays, and nothing is sent.
#include "shared.hpp"

int main(int argc, char** argv) {
    return compare_with_one_device(argc, argv, [](muster::ClusterSession& cluster) {
        const auto saxpy = cluster.prepare(kernel_of("saxpy/saxpy.wgsl")).value();
        const std::vector<float> host = some_numbers(100'000);
        const auto x = cluster.buffer(host, muster::Sharded{}).value(),
                   y = cluster.buffer(host, muster::Sharded{}).value();
        const auto ticket =
            cluster.dispatch(saxpy, {{"a", 2.0f}, {"x", x}, {"y", y}}, muster::Invocations{host.size()})
                .value();
        ticket.wait().value();
        return y.read_all<float>().value();
    });
}
