// The kernels that measure a device's roof (roof.wgsl).
#include <fmt/format.h>

#include <muster/bench/kernels/data.hpp>

namespace muster::kernels {

Job copy(Size size) {
    const std::uint32_t count = 4096 * size.scale;
    const Words before = Random(size.seed).words(count);
    return {.arrays = {{"before", before}, {"after", Words(count)}},
            .steps = {{.entry = "copy", .grid = Invocations{count}}},
            .expected = [=] { return std::vector{Expected{.array = "after", .values = before}}; },
            .work = {.bytes = 8.0 * count},
            .size = fmt::format("{} words", count)};
}

Job read(Size size) {
    constexpr std::uint32_t lanes = 256, each = 64;
    const std::uint32_t groups = size.scale, sums = groups * lanes;
    const Floats values = Random(size.seed).floats(std::size_t{sums} * each, 0, 1);
    Job job{.arrays = {{"values", words_of(values)}, {"sums", Words(sums)}},
            .steps = {{.entry = "read", .grid = Workgroups{groups}}},
            .work = {.bytes = 4.0 * static_cast<double>(values.size() + sums)},
            .size = fmt::format("{} floats", values.size())};
    job.expected = [=] {
        Doubles all(sums);
        for (std::size_t i = 0; i < values.size(); ++i)
            all[i / (lanes * each) * lanes + i % lanes] += values[i];
        // A rounding for each value, of sums of at most `each`.
        return std::vector{
            Expected{.array = "sums", .values = std::move(all), .absolute = each * each * rounding}};
    };
    return job;
}

Job multiply_add(Size size) {
    constexpr std::uint32_t lanes = 256, chains = 12, turns = 256;
    const std::uint32_t count = lanes * size.scale;
    // Near 1, so that every turn counts; different for each seed.
    const float slope = 1 - Random(size.seed).between(0.0005f, 0.001f), offset = 0.25f;
    Job job{.arrays = {{"sums", Random(size.seed).words(count)}},
            .steps = {{.entry = "multiply_add",
                       .grid = Invocations{count},
                       .uniforms = {{"line", words_of(Floats{slope, offset})}}}},
            .work = {.bytes = 4.0 * count, .flops = 2.0 * chains * turns * count},
            .size = fmt::format("{} x {} turns", count, turns)};
    job.expected = [=] {
        Doubles of_lane(lanes), sums;
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            for (std::uint32_t chain = 0; chain < chains; ++chain) {
                double x = lane + chain;
                for (std::uint32_t turn = 0; turn < turns; ++turn) x = x * slope + offset;
                of_lane[lane] += x;
            }
        for (std::uint32_t i = 0; i < count; ++i) sums.push_back(of_lane[i % lanes]);
        // Two roundings each turn, of numbers that are at most the sum of the start and all offsets; and the sums'.
        const double most = lanes + chains + turns * offset, bound = chains * (2 * turns + chains) * most;
        return std::vector{
            Expected{.array = "sums", .values = std::move(sums), .absolute = bound * rounding}};
    };
    return job;
}

Job launch(Size size) {
    const Words before = Random(size.seed).words(size.scale);
    Job job{.arrays = {{"before", before}, {"after", Words(size.scale)}},
            .steps = {{.entry = "launch", .grid = Workgroups{size.scale}}},
            .size = fmt::format("{} workgroups", size.scale)};
    job.expected = [=] {
        Words after = before;
        for (std::uint32_t& word : after) ++word;
        return std::vector{Expected{.array = "after", .values = std::move(after)}};
    };
    return job;
}

}  // namespace muster::kernels
