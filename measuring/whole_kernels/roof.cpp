// The kernels that measure a device's roof (roof.wgsl).
#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

namespace {

/// Copies, `width` words by each invocation.
Job copy_by(const char* entry, std::uint32_t width, Size size) {
    const std::uint32_t count = 4096 * size.scale;
    const Words before = Random(size.seed).words(count);
    return {.arrays = {{"before", before}, {"after", Words(count)}},
            .steps = {{.entry = entry,
                       .grid = Invocations{count / width},
                       .bind = {{"before4", "before"}, {"after4", "after"}}}},
            .expected = [=] { return std::vector{Expected{.array = "after", .values = before}}; },
            .work = {.bytes = 8.0 * count},
            .size = fmt::format("{} words", count)};
}

/// Reads, `width` words at a time by each invocation, eight times, and writes so many once.
Job read_by(const char* entry, std::uint32_t width, Size size) {
    constexpr std::uint32_t lanes = 256, each = 8;
    const std::uint32_t count = 8192 * size.scale, written = count / each, row = width * lanes;
    const Words before = Random(size.seed).words(count);
    Job job{.arrays = {{"before", before}, {"after", Words(written)}},
            .steps = {{.entry = entry,
                       .grid = Invocations{written / width},
                       .bind = {{"before4", "before"}, {"after4", "after"}}}},
            .work = {.bytes = 4.0 * (count + written)},
            .size = fmt::format("{} words", count)};
    job.expected = [=] {
        Words after(written);
        for (std::size_t i = 0; i < count; ++i) after[i / (each * row) * row + i % row] ^= before[i];
        return std::vector{Expected{.array = "after", .values = std::move(after)}};
    };
    return job;
}

}  // namespace

Job copy(Size size) { return copy_by("copy", 1, size); }
Job copy_vec4(Size size) { return copy_by("copy_vec4", 4, size); }
Job update(Size size) {
    const Words before = Random(size.seed).words(std::size_t{4096} * size.scale);
    Job job{.arrays = {{"after", before}},
            .steps = {{.entry = "update", .grid = Invocations{before.size()}}},
            .work = {.bytes = 8.0 * static_cast<double>(before.size())},
            .size = fmt::format("{} words", before.size())};
    job.expected = [=] {
        Words after = before;
        for (std::uint32_t& word : after) word = ~word;
        return std::vector{Expected{.array = "after", .values = std::move(after)}};
    };
    return job;
}
Job read(Size size) { return read_by("read", 1, size); }
Job read_vec4(Size size) { return read_by("read_vec4", 4, size); }

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
        // Two roundings each turn, of numbers that are at most the sum of the start and
        // all offsets; and the sums'.
        const double most = lanes + chains + turns * offset, bound = chains * (2 * turns + chains) * most;
        return std::vector{
            Expected{.array = "sums", .values = std::move(sums), .absolute = bound * rounding}};
    };
    return job;
}

Job exchange(Size size) {
    constexpr std::uint32_t lanes = 256, turns = 32;
    const std::uint32_t count = lanes * size.scale;
    const Words before = Random(size.seed).words(count);
    Job job{.arrays = {{"before", before}, {"after", Words(count)}},
            .steps = {{.entry = "exchange", .grid = Invocations{count}}},
            .work = {.bytes = 8.0 * count},
            .size = fmt::format("{} x {} barriers", count, 2 * turns)};
    job.expected = [=] {
        Words after(count);
        for (std::uint32_t i = 0; i < count; ++i) after[i] = before[i / lanes * lanes + (i + turns) % lanes];
        return std::vector{Expected{.array = "after", .values = std::move(after)}};
    };
    return job;
}

Job launch(Size size) {
    const Words keys = Random(size.seed).words(1);
    return {
        .arrays = {{"places", Words(size.scale, ~keys[0])}},
        .steps = {{.entry = "launch", .grid = Workgroups{size.scale}, .uniforms = {{"key", keys}}}},
        .expected =
            [=] { return std::vector{Expected{.array = "places", .values = Words(size.scale, keys[0])}}; },
        .size = fmt::format("{} workgroups", size.scale)};
}

}  // namespace muster::kernels
