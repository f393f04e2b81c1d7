#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job nbody(Size size) {
    constexpr std::size_t body = 8;  // its words: position, mass, velocity, and one that pads
    constexpr float time_step = 0.01f, softening = 0.25f;
    const std::uint32_t count = 128 * size.scale;
    Random random(size.seed);
    Floats before;
    for (std::uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) before.push_back(random.between(-1, 1));
        before.push_back(random.between(0, 1) / static_cast<float>(count));
        for (int axis = 0; axis < 3; ++axis) before.push_back(random.between(-1, 1));
        before.push_back(0);
    }
    const double pairs = double{1} * count * count;
    Job job{.arrays = {{"before", words_of(before)}, {"after", Words(before.size())}},
            .steps = {{.grid = Invocations{count},
                       .uniforms = {{"settings", words_of(Floats{time_step, softening})}}}},
            .work = {.bytes = 64.0 * count, .flops = 20 * pairs},  // 20: as the literature counts
            .size = fmt::format("{} bodies", count)};
    job.expected = [=] {
        Doubles after(before.begin(), before.end());
        for (std::size_t i = 0; i < before.size(); i += body)
            for (std::size_t j = 0; j < before.size(); j += body) {
                double away[3], squared = double{softening} * softening;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    away[axis] = double{before[j + axis]} - before[i + axis];
                    squared += away[axis] * away[axis];
                }
                const double pull = before[j + 3] / (squared * std::sqrt(squared)) * time_step;
                for (std::size_t axis = 0; axis < 3; ++axis) after[i + 4 + axis] += away[axis] * pull;
            }
        for (std::size_t i = 0; i < before.size(); i += body)
            for (std::size_t axis = 0; axis < 3; ++axis) after[i + axis] += after[i + 4 + axis] * time_step;
        // The accelerations' magnitudes sum to at most 0.385 / softening^2; a pull has some 16 roundings, and
        // the sum as many as there are bodies. Positions and velocities are at most 2.
        const double bound = (count + 16) * 6.2 * time_step + 4;
        return std::vector{
            Expected{.array = "after", .values = std::move(after), .absolute = bound * rounding}};
    };
    return job;
}

}  // namespace muster::kernels
