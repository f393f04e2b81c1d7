// runtime.cpp - runs an artifact that the program contains, without a compiler: it links muster::runtime.
// Given a file, it runs that artifact of saxpy instead: runtime FILE.muster.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <vector>

#include <muster/muster.hpp>

#include "saxpy.wgsl.hpp"  // muster_add_kernels() makes it

namespace {

std::vector<std::byte> contents(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto all = std::as_bytes(std::span(bytes));
    return {all.begin(), all.end()};
}

int run(const muster::ArtifactFile& saxpy) {
    std::vector<float> host_x(1000, 3.0f), host_y(1000, 1.0f);

    auto session = muster::Session::open().value();
    auto ready = session.prepare(saxpy).value();
    auto x = session.buffer(host_x).value();
    auto y = session.buffer(host_y).value();
    muster::Invocations grid{1000};
    auto ticket = session.dispatch(ready, {{"a", 2.0f}, {"x", x}, {"y", y}}, grid).value();
    ticket.wait().value();
    y.read(host_y).value();

    std::printf("2 * 3 + 1 = %g by the code for %s\n", host_y[999], ready.artifact().target.c_str());
    return host_y == std::vector<float>(1000, 7.0f) ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count > 1 ? muster::read_artifact_file(contents(arguments[1])).value()
                             : muster::read_artifact_file(saxpy_artifact()).value());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
