// histogram.cpp - how often each byte occurs: each member counts in its block of the data, and the
// counts are added up over all.
#include "shared.hpp"

int main(int argc, char** argv) {
    return compare_with_one_device(argc, argv, [](muster::ClusterSession& cluster) {
        const auto count = cluster.prepare(kernel_of("kernels/histogram.wgsl")).value();
        std::vector<std::uint32_t> words;
        for (const float number : some_numbers(100'000))
            words.push_back(static_cast<std::uint32_t>(number * 4294967040.0f));
        const auto data = cluster.buffer(words, muster::Sharded{}).value();
        const auto counts = cluster.zeros<std::uint32_t>(256).value();
        const auto ticket =
            cluster.dispatch(count, {{"words", data}, {"counts", counts}}, muster::Workgroups{64}).value();
        ticket.wait().value();
        return counts.read_all<std::uint32_t>().value();
    });
}
