// The kernels of the table: for each, our run of the WGSL text, and the plain program's run of the same
// kernel in GLSL. Bindings stay below 128 MiB, lavapipe's limit.
#include <array>
#include <bit>

#include <support/workloads.hpp>

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
    auto [contest, inputs, start] = saxpy(bench, n, a);
    const RawBuffer raw_x = bench.raw_buffer(inputs[0]), raw_y = bench.raw_buffer(start);
    bench.add_raw(contest, raw_y, start, [&](Access access) {
        return std::vector{
            bench.raw.pass(shader("saxpy", bench.precision, access), {raw_x, raw_y},
                           {.push = {std::bit_cast<std::uint32_t>(a)}, .groups = two_axes(n / 256)})};
    });
    return contest;
}

Contest sum(Bench& bench) {
    const std::vector<std::size_t> sizes = sizes_of_sum((32u << 20) / bench.small);
    auto [contest, inputs, start] = sum(bench, sizes);
    std::vector<RawBuffer> raw_buffers{bench.raw_buffer(inputs[0])};
    for (std::size_t i = 1; i < sizes.size(); ++i)
        raw_buffers.push_back(bench.raw.buffer(sizes[i] * sizeof(float)));
    bench.add_raw(contest, raw_buffers.back(), start, [&](Access access) {
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
    const std::uint32_t n = 1024 / bench.small, groups = (n + 15) / 16;
    auto [contest, inputs, start] = matmul(bench, n);
    const RawBuffer raw_a = bench.raw_buffer(inputs[0]), raw_b = bench.raw_buffer(inputs[1]),
                    raw_c = bench.raw_buffer(start);
    bench.add_raw(contest, raw_c, start, [&](Access access) {
        return std::vector{bench.raw.pass(shader("matmul", bench.precision, access), {raw_a, raw_b, raw_c},
                                          {.push = {n, n, n}, .groups = {groups, groups}})};
    });
    return contest;
}

Contest mandelbrot(Bench& bench) {
    const std::uint32_t width = 2048 / bench.small, height = 1024 / bench.small, limit = 256;
    auto [contest, inputs, start] = mandelbrot(bench, width, height, limit);
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
    auto [contest, inputs, start] = stencil(bench, side);
    const RawBuffer raw_before = bench.raw_buffer(inputs[0]), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](Access access) {
        return std::vector{
            bench.raw.pass(shader("stencil", bench.precision, access), {raw_before, raw_after},
                           {.specialised = {side, side}, .groups = {(side + 63) / 64, (side + 3) / 4}})};
    });
    return contest;
}

Contest histogram(Bench& bench) {
    constexpr std::uint32_t groups = 64;
    auto [contest, inputs, start] = histogram(bench, (8u << 20) / bench.small, groups);
    const RawBuffer raw_data = bench.raw_buffer(inputs[0]), raw_counts = bench.raw_buffer(start);
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
