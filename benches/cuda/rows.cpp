// The kernels of the table: for each, our run of the WGSL text, and the plain program's run of the
// same kernel in CUDA C++.
#include <algorithm>
#include <array>

#include <support/workloads.hpp>

#include "bench.hpp"

namespace muster::bench {
namespace {

std::uint32_t word(std::size_t x) { return static_cast<std::uint32_t>(x); }

Contest saxpy(Bench& bench) {
    const std::size_t n = (64u << 20) / bench.small;
    const float a = 1e-3f;
    auto [contest, inputs, start] = saxpy(bench, n, a);
    const RawBuffer raw_x = bench.raw_buffer(inputs[0]), raw_y = bench.raw_buffer(start);
    bench.add_raw(contest, raw_y, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("saxpy"), {word(n / 256), 1}, {256, 1}, {a, raw_x, raw_y, word(n)}}};
    });
    // As many bytes read and written.
    const std::size_t bytes = n * 6;
    const RawBuffer from = bench.raw.buffer(bytes), to = bench.raw.buffer(bytes);
    contest.contenders.push_back({"copy", [=, &bench] { bench.raw.copy(from, to, bytes); }, {}});
    return contest;
}

Contest sum(Bench& bench) {
    const std::vector<std::size_t> sizes = sizes_of_sum((64u << 20) / bench.small);
    auto [contest, inputs, start] = sum(bench, sizes);
    std::vector<RawBuffer> raw_buffers{bench.raw_buffer(inputs[0])};
    for (std::size_t i = 1; i < sizes.size(); ++i)
        raw_buffers.push_back(bench.raw.buffer(sizes[i] * sizeof(float)));
    bench.add_raw(contest, raw_buffers.back(), start, [&](const Bench::Get& get) {
        std::vector<RawLaunch> passes;
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
            passes.push_back({get("reduce"),
                              {word(sizes[i + 1]), 1},
                              {256, 1},
                              {raw_buffers[i], word(sizes[i]), raw_buffers[i + 1], word(sizes[i + 1])}});
        return passes;
    });
    return contest;
}

// In place: each run continues with the result of the one before.
Contest scan(Bench& bench) {
    const std::size_t n = (64u << 20) / bench.small, blocks = n / 256;
    Words start(n);
    for (std::size_t i = 0; i < n; ++i) start[i] = word(i % 7);
    const Buffer values = must(bench.session.zeros<std::uint32_t>(n));
    const std::vector<Argument> arguments{{"values", values},
                                          {"totals", must(bench.session.zeros<std::uint32_t>(blocks))}};
    const Kernel kernel = bench.kernel("examples/kernels/scan.wgsl");
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Workgroups{blocks}).wait()); };
    Contest contest{.work = 8e-9 * static_cast<double>(n), .unit = "GB/s"};
    contest.contenders = {ours(run, values, start)};
    const RawBuffer raw_values = bench.raw_buffer(start), raw_totals = bench.raw.buffer(blocks * 4);
    bench.add_raw(contest, raw_values, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("scan"), {word(blocks), 1}, {256, 1}, {raw_values, word(n), raw_totals, word(blocks)}}};
    });
    return contest;
}

Contest stencil(Bench& bench) {
    const std::uint32_t side = 8192 / bench.small;
    auto [contest, inputs, start] = stencil(bench, side);
    const RawBuffer raw_before = bench.raw_buffer(inputs[0]), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{{get("stencil"),
                                       {(side + 63) / 64, (side + 3) / 4},
                                       {64, 4},
                                       {raw_before, raw_after, side, side}}};
    });
    return contest;
}

Contest histogram(Bench& bench) {
    constexpr std::uint32_t groups = 2048;
    auto [contest, inputs, start] = histogram(bench, (64u << 20) / bench.small, groups);
    const RawBuffer raw_data = bench.raw_buffer(inputs[0]), raw_counts = bench.raw_buffer(start);
    bench.add_raw(contest, raw_counts, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("histogram"), {groups, 1}, {256, 1}, {raw_data, word(inputs[0].size()), raw_counts}}};
    });
    return contest;
}

// Eight words per body: position, mass, velocity and one that isn't written.
Contest nbody(Bench& bench) {
    const std::uint32_t n = 65536 / bench.small;
    const float time_step = 0.01f, softening = 0.1f;
    Floats before = random_floats(std::size_t{n} * 8, -1, 1);
    for (std::size_t i = 0; i < n; ++i) {
        before[8 * i + 3] += 1;
        std::fill_n(before.begin() + static_cast<std::ptrdiff_t>(8 * i + 4), 4, 0.0f);
    }
    const Words start(before.size());
    const Buffer after = must(bench.session.zeros<float>(before.size()));
    const std::vector<Argument> arguments{
        {"settings", std::array{time_step, softening}}, {"before", bench.buffer(before)}, {"after", after}};
    const Kernel kernel = bench.kernel("examples/kernels/nbody.wgsl");
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Invocations{n}).wait()); };
    Contest contest{.work = 1e-9 * n * n, .unit = "Gpair/s", .tolerance = 1e-3};
    contest.contenders = {ours(run, after, start)};
    const RawBuffer raw_before = bench.raw_buffer(before), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("nbody"), {(n + 63) / 64, 1}, {64, 1}, {time_step, softening, raw_before, raw_after, n}}};
    });
    return contest;
}

Contest mandelbrot(Bench& bench) {
    const std::uint32_t width = 8192 / bench.small, height = 8192 / bench.small, limit = 256;
    auto [contest, inputs, start] = mandelbrot(bench, width, height, limit);
    const RawBuffer raw_steps = bench.raw_buffer(start);
    bench.add_raw(contest, raw_steps, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{{get("mandelbrot"),
                                       {(width + 15) / 16, (height + 15) / 16},
                                       {16, 16},
                                       {raw_steps, width, height, limit}}};
    });
    return contest;
}

Contest transpose(Bench& bench) {
    const std::uint32_t side = 8192 / bench.small / 32 * 32;
    const Floats before = random_floats(std::size_t{side} * side, 0, 1);
    const Words start(before.size());
    const Buffer after = must(bench.session.zeros<float>(before.size()));
    const std::vector<Argument> arguments{{"before", bench.buffer(before)}, {"after", after}};
    const Kernel kernel = bench.kernel("measuring/whole_kernels/transpose.wgsl", {{"side", text(side)}});
    const auto run = [=, &bench] {
        must(bench.submit(kernel, arguments, Workgroups{side / 32, side / 32}).wait());
    };
    Contest contest{.work = 8e-9 * static_cast<double>(before.size()), .unit = "GB/s"};
    contest.contenders = {ours(run, after, start)};
    const RawBuffer raw_before = bench.raw_buffer(before), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("transpose"), {side / 32, side / 32}, {32, 8}, {raw_before, raw_after, side}}};
    });
    return contest;
}

// Exact mode has an exp of its own: the results are close, not the same bits.
Contest softmax(Bench& bench) {
    const std::uint32_t rows = 8192 / bench.small, columns = 4096;
    const Floats before = random_floats(std::size_t{rows} * columns, -8, 8);
    const Words start(before.size());
    const Buffer after = must(bench.session.zeros<float>(before.size()));
    const std::vector<Argument> arguments{{"before", bench.buffer(before)}, {"after", after}};
    const Kernel kernel = bench.kernel("measuring/whole_kernels/softmax.wgsl", {{"columns", text(columns)}});
    const auto run = [=, &bench] { must(bench.submit(kernel, arguments, Workgroups{rows}).wait()); };
    Contest contest{.work = 1e-9 * static_cast<double>(before.size()),
                    .unit = "Gvalue/s",
                    .tolerance = 1e-4,
                    .always_tolerant = true};
    contest.contenders = {ours(run, after, start)};
    const RawBuffer raw_before = bench.raw_buffer(before), raw_after = bench.raw_buffer(start);
    bench.add_raw(contest, raw_after, start, [&](const Bench::Get& get) {
        return std::vector<RawLaunch>{
            {get("softmax"), {rows, 1}, {256, 1}, {raw_before, raw_after, rows, columns}}};
    });
    return contest;
}

// The library sums in another order.
Contest sgemm(Bench& bench) {
    const std::uint32_t n = std::max(128u, 4096 / bench.small / 128 * 128);
    const Floats a = random_floats(std::size_t{n} * n, -1, 1), b = random_floats(std::size_t{n} * n, -1, 1);
    const Words start(a.size());
    const Buffer c = must(bench.session.zeros<float>(a.size()));
    const std::vector<Argument> arguments{{"a", bench.buffer(a)}, {"b", bench.buffer(b)}, {"c", c}};
    const Kernel kernel = bench.kernel("benches/cuda/kernels/sgemm.wgsl", {{"n", text(n)}});
    const auto run = [=, &bench] {
        must(bench.submit(kernel, arguments, Workgroups{n / 128, n / 128}).wait());
    };
    Contest contest{.work = 2e-9 * n * n * n, .unit = "GFLOP/s", .tolerance = 1e-4, .always_tolerant = true};
    contest.contenders = {ours(run, c, start)};
    if (bench.cublas == nullptr) return contest;
    const RawBuffer raw_a = bench.raw_buffer(a), raw_b = bench.raw_buffer(b), raw_c = bench.raw_buffer(start);
    const auto multiply = [=, &bench] { bench.cublas->sgemm(static_cast<int>(n), raw_a, raw_b, raw_c); };
    contest.contenders.push_back({"cuBLAS", multiply, [=, &bench] {
                                      multiply();
                                      return bench.words(raw_c);
                                  }});
    return contest;
}

const std::vector<Goal> by_hand{{"guarded", 1.05}, {"plain", 1.05}};
const std::vector<Goal> by_hand_and_copy{{"guarded", 1.05}, {"plain", 1.05}, {"copy", 1 / 0.9}};
const std::vector<Goal> cublas_06{{"cuBLAS", 1 / 0.6}};
const Row all_rows[]{
    {"saxpy", by_hand_and_copy, by_hand_and_copy, saxpy},
    {"sum", by_hand, by_hand, sum},
    {"scan", by_hand, by_hand, scan},
    {"stencil", by_hand, by_hand, stencil},
    {"histogram", by_hand, by_hand, histogram},
    {"n-body", by_hand, by_hand, nbody},
    {"mandelbrot", by_hand, by_hand, mandelbrot},
    {"transpose", by_hand, by_hand, transpose},
    {"softmax", by_hand, by_hand, softmax},
    {"sgemm 4096, register tiles", {}, cublas_06, sgemm},
};

}  // namespace

std::span<const Row> rows() { return all_rows; }

}  // namespace muster::bench
