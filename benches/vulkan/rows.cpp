// The kernels of the table: for each, our run of the WGSL text, and the plain program's run of the same
// kernel in GLSL. Bindings stay below 128 MiB, lavapipe's limit.
#include <array>
#include <random>

#include "bench.hpp"

namespace muster::bench {
namespace {

// Splits more groups than an axis allows into rows of 2^15 each.
std::array<std::uint32_t, 2> two_axes(std::size_t groups) {
    constexpr std::size_t row = 1 << 15;
    if (groups <= row) return {static_cast<std::uint32_t>(groups), 1};
    return {row, static_cast<std::uint32_t>((groups + row - 1) / row)};
}

Contest saxpy(Bench& bench) {
    const std::size_t n = (32u << 20) / bench.small;
    const float a = 1e-3f;
    const Floats x = random_floats(n, 0, 1);
    const Words start = bits(random_floats(n, 1, 2));
    const Buffer y = must(bench.session.zeros<float>(n));
    const std::vector<Argument> arguments{{"a", a}, {"x", bench.buffer(x)}, {"y", y}};
    const Kernel kernel = bench.kernel("examples/saxpy/saxpy.wgsl");
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Invocations{n}).wait()); };
    Contest contest{.work = 12e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {ours(run, y, start)};
    const RawBuffer raw_x = bench.raw_buffer(x), raw_y = bench.raw.buffer(n * sizeof(float));
    bench.add_raw(contest, raw_y, start, [&](Access access) {
        return std::vector{
            bench.raw.pass(shader("saxpy", bench.precision, access), {raw_x, raw_y},
                           {.push = {std::bit_cast<std::uint32_t>(a)}, .groups = two_axes(n / 256)})};
    });
    return contest;
}

// In passes, each of which leaves one sum per 512 values.
Contest sum(Bench& bench) {
    const std::size_t n = (32u << 20) / bench.small;
    const Floats x = random_floats(n, 0, 1);
    std::vector<Buffer> buffers{bench.buffer(x)};
    std::vector<RawBuffer> raw_buffers{bench.raw_buffer(x)};
    std::vector<std::size_t> sizes{n};
    while (sizes.back() > 1) {
        sizes.push_back((sizes.back() + 511) / 512);
        buffers.push_back(must(bench.session.zeros<float>(sizes.back())));
        raw_buffers.push_back(bench.raw.buffer(sizes.back() * sizeof(float)));
    }
    const Kernel kernel = bench.kernel("examples/kernels/reduce.wgsl");
    const auto run = [=, &bench] {
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
            const Ticket ticket = bench.submit(kernel, {{"values", buffers[i]}, {"sums", buffers[i + 1]}},
                                               Workgroups{sizes[i + 1]});
            if (i + 2 == sizes.size()) must(ticket.wait());
        }
    };
    Contest contest{.work = 4e-9 * static_cast<double>(n), .unit = "GB/s", .tolerance = 1e-5};
    contest.contenders = {ours(run, buffers.back(), {0})};
    bench.add_raw(contest, raw_buffers.back(), {0}, [&](Access access) {
        std::vector<RawPass> passes;
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
            passes.push_back(bench.raw.pass(shader("reduce", bench.precision, access),
                                            {raw_buffers[i], raw_buffers[i + 1]},
                                            {.groups = two_axes(sizes[i + 1])}));
        return passes;
    });
    return contest;
}

Contest matmul(Bench& bench) {
    const std::uint32_t n = 1024 / bench.small;
    const Floats a = random_floats(n * n, -1, 1), b = random_floats(n * n, -1, 1);
    const Words start(n * n);
    const Buffer c = must(bench.session.zeros<float>(n * n));
    const std::vector<Argument> arguments{
        {"sizes", std::array{n, n, n}}, {"a", bench.buffer(a)}, {"b", bench.buffer(b)}, {"c", c}};
    const Kernel kernel = bench.kernel("examples/kernels/matmul.wgsl");
    const std::uint32_t groups = (n + 15) / 16;
    const auto run = [=, &bench] {
        must(bench.submit(kernel, arguments, Workgroups{groups, groups}).wait());
    };
    Contest contest{.work = 2e-9 * n * n * n, .unit = "GFLOP/s", .tolerance = 1e-5};
    contest.contenders = {ours(run, c, start)};
    const RawBuffer raw_a = bench.raw_buffer(a), raw_b = bench.raw_buffer(b), raw_c = bench.raw_buffer(start);
    bench.add_raw(contest, raw_c, start, [&](Access access) {
        return std::vector{bench.raw.pass(shader("matmul", bench.precision, access), {raw_a, raw_b, raw_c},
                                          {.push = {n, n, n}, .groups = {groups, groups}})};
    });
    return contest;
}

Contest mandelbrot(Bench& bench) {
    const std::uint32_t width = 2048 / bench.small, height = 1024 / bench.small, limit = 256;
    const Words start(std::size_t{width} * height);
    const Buffer steps = must(bench.session.zeros<std::uint32_t>(start.size()));
    const Kernel kernel =
        bench.kernel("examples/kernels/mandelbrot.wgsl",
                     {{"width", text(width)}, {"height", text(height)}, {"limit", text(limit)}});
    const auto run = [=, &bench] {
        must(bench.submit(kernel, {{"steps", steps}}, Invocations{width, height}).wait());
    };
    // Contraction changes single points at the border by many steps.
    Contest contest{.work = static_cast<double>(start.size()) * 1e-6, .unit = "Mpoint/s", .share = 0.01};
    contest.contenders = {ours(run, steps, start)};
    const RawBuffer raw_steps = bench.raw_buffer(start);
    bench.add_raw(contest, raw_steps, start, [&](Access access) {
        return std::vector{bench.raw.pass(
            shader("mandelbrot", bench.precision, access), {raw_steps},
            {.specialised = {width, height, limit}, .groups = {(width + 15) / 16, (height + 15) / 16}})};
    });
    return contest;
}

Contest stencil(Bench& bench) {
    const std::uint32_t side = 4096 / bench.small;
    const Floats before = random_floats(std::size_t{side} * side, 0, 1);
    const Words start(before.size());
    const Buffer after = must(bench.session.zeros<float>(before.size()));
    const std::vector<Argument> arguments{{"before", bench.buffer(before)}, {"after", after}};
    const Kernel kernel =
        bench.kernel("measuring/whole_kernels/stencil.wgsl", {{"width", text(side)}, {"height", text(side)}});
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Invocations{side, side}).wait()); };
    Contest contest{.work = 8e-9 * static_cast<double>(before.size()), .unit = "GB/s", .tolerance = 1e-6};
    contest.contenders = {ours(run, after, start)};
    const RawBuffer raw_before = bench.raw_buffer(before), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](Access access) {
        return std::vector{
            bench.raw.pass(shader("stencil", bench.precision, access), {raw_before, raw_after},
                           {.specialised = {side, side}, .groups = {(side + 63) / 64, (side + 3) / 4}})};
    });
    return contest;
}

Contest histogram(Bench& bench) {
    std::mt19937 random(1);
    Words data((8u << 20) / bench.small);
    for (std::uint32_t& word : data) word = static_cast<std::uint32_t>(random());
    const Words start(256);
    constexpr std::uint32_t groups = 64;
    const Buffer counts = must(bench.session.zeros<std::uint32_t>(256));
    const std::vector<Argument> arguments{{"words", bench.buffer(data)}, {"counts", counts}};
    const Kernel kernel = bench.kernel("examples/kernels/histogram.wgsl");
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Workgroups{groups}).wait()); };
    Contest contest{.work = 4e-9 * static_cast<double>(data.size()), .unit = "Gvalue/s"};
    contest.contenders = {ours(run, counts, start)};
    const RawBuffer raw_data = bench.raw_buffer(data), raw_counts = bench.raw_buffer(start);
    bench.add_raw(contest, raw_counts, start, [&](Access access) {
        return std::vector{bench.raw.pass(shader("histogram", bench.precision, access),
                                          {raw_data, raw_counts}, {.groups = {groups, 1}})};
    });
    return contest;
}

const Row all_rows[]{
    {"saxpy", saxpy},           {"sum", sum},         {"sgemm, shared tiles", matmul},
    {"mandelbrot", mandelbrot}, {"stencil", stencil}, {"histogram", histogram},
};

}  // namespace

std::span<const Row> rows() { return all_rows; }

}  // namespace muster::bench
