#include "workloads.hpp"

#include <array>

namespace muster::bench {
namespace {

/// Our contender: a dispatch of the kernel, and its end.
Contender dispatch_of(DeviceBench& bench, const Kernel& kernel, const std::vector<Argument>& arguments,
                      const Grid& grid, const Buffer& out, const Words& start) {
    return ours([=, &bench] { must(bench.submit(kernel, arguments, grid).wait()); }, out, start);
}

}  // namespace

Workload saxpy(DeviceBench& bench, std::size_t n, float a) {
    const Floats x = random_floats(n, 0, 1);
    const Words start = bits(random_floats(n, 1, 2));
    const Buffer y = must(bench.session.zeros<float>(n));
    Contest contest{.work = 12e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {dispatch_of(bench, bench.kernel("examples/saxpy/saxpy.wgsl"),
                                      {{"a", a}, {"x", bench.buffer(x)}, {"y", y}}, Invocations{n}, y,
                                      start)};
    return {contest, {bits(x)}, start};
}

Workload stencil(DeviceBench& bench, std::uint32_t side) {
    const Floats before = random_floats(std::size_t{side} * side, 0, 1);
    const Words start(before.size());
    const Buffer after = must(bench.session.zeros<float>(before.size()));
    const Kernel kernel =
        bench.kernel("measuring/whole_kernels/stencil.wgsl", {{"width", text(side)}, {"height", text(side)}});
    Contest contest{.work = 8e-9 * static_cast<double>(before.size()), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {dispatch_of(bench, kernel, {{"before", bench.buffer(before)}, {"after", after}},
                                      Invocations{side, side}, after, start)};
    return {contest, {bits(before)}, start};
}

Workload histogram(DeviceBench& bench, std::size_t words, std::uint32_t groups) {
    const Words data = random_words(words), start(256);
    const Buffer counts = must(bench.session.zeros<std::uint32_t>(256));
    Contest contest{.work = 4e-9 * static_cast<double>(words), .unit = "Gvalue/s"};
    contest.contenders = {dispatch_of(bench, bench.kernel("examples/kernels/histogram.wgsl"),
                                      {{"words", bench.buffer(data)}, {"counts", counts}}, Workgroups{groups},
                                      counts, start)};
    return {contest, {data}, start};
}

Workload mandelbrot(DeviceBench& bench, std::uint32_t width, std::uint32_t height, std::uint32_t limit) {
    const Words start(std::size_t{width} * height);
    const Buffer steps = must(bench.session.zeros<std::uint32_t>(start.size()));
    const Kernel kernel =
        bench.kernel("examples/kernels/mandelbrot.wgsl",
                     {{"width", text(width)}, {"height", text(height)}, {"limit", text(limit)}});
    // Contraction changes single points at the border by many steps.
    Contest contest{.work = static_cast<double>(start.size()) * 1e-6, .unit = "Mpoint/s", .share = 0.01};
    contest.contenders = {
        dispatch_of(bench, kernel, {{"steps", steps}}, Invocations{width, height}, steps, start)};
    return {contest, {}, start};
}

Workload matmul(DeviceBench& bench, std::uint32_t n) {
    const Floats a = random_floats(std::size_t{n} * n, -1, 1), b = random_floats(std::size_t{n} * n, -1, 1);
    const Words start(a.size());
    const Buffer c = must(bench.session.zeros<float>(a.size()));
    Contest contest{.work = 2e-9 * n * n * n, .unit = "GFLOP/s", .tolerance = 1e-5};
    contest.contenders = {dispatch_of(
        bench, bench.kernel("examples/kernels/matmul.wgsl"),
        {{"sizes", std::array{n, n, n}}, {"a", bench.buffer(a)}, {"b", bench.buffer(b)}, {"c", c}},
        Invocations{n, n}, c, start)};
    return {contest, {bits(a), bits(b)}, start};
}

std::vector<std::size_t> sizes_of_sum(std::size_t n) {
    std::vector<std::size_t> sizes{n};
    while (sizes.back() > 1) sizes.push_back((sizes.back() + 511) / 512);
    return sizes;
}

Workload sum(DeviceBench& bench, const std::vector<std::size_t>& sizes) {
    const Floats x = random_floats(sizes.front(), 0, 1);
    std::vector<Buffer> buffers{bench.buffer(x)};
    for (std::size_t i = 1; i < sizes.size(); ++i)
        buffers.push_back(must(bench.session.zeros<float>(sizes[i])));
    const Kernel kernel = bench.kernel("examples/kernels/reduce.wgsl");
    const auto run = [=, &bench] {
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
            const Ticket ticket = bench.submit(kernel, {{"values", buffers[i]}, {"sums", buffers[i + 1]}},
                                               Workgroups{sizes[i + 1]});
            if (i + 2 == sizes.size()) must(ticket.wait());
        }
    };
    Contest contest{.work = 4e-9 * static_cast<double>(x.size()), .unit = "GB/s", .tolerance = 1e-5};
    contest.contenders = {ours(run, buffers.back(), {0})};
    return {contest, {bits(x)}, {0}};
}

}  // namespace muster::bench
