// Runs two kernels that muster_add_kernels() embeds, both with the entry point main.
#include <cstdio>
#include <vector>

#include <muster/muster.hpp>

#include "double.wgsl.hpp"
#include "plus_one.wgsl.hpp"

int main() {
    auto session = muster::Session::open({.policy = {.backends = {{"reference"}}}}).value();
    auto y = session.buffer(std::vector<std::uint32_t>(64, 4)).value();
    for (const auto bytes : {double_artifact(), plus_one_artifact()}) {
        auto kernel = session.prepare(muster::read_artifact_file(bytes).value()).value();
        session.dispatch(kernel, {{"y", y}}, muster::Workgroups{1}).value().wait().value();
        if (bytes.data() == plus_one_artifact().data())
            std::printf("%u by %s\n", y.read_all<std::uint32_t>().value()[63], kernel.backend().data());
    }
}
