#include <algorithm>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

// Centres begin at one point of each of a few clouds. A point is at least 0.4 from the other clouds
// and closer to any point of its own in each coordinate where these lie apart, so that the nearest
// centre is never in doubt.
Job kmeans(Size size) {
    constexpr std::uint32_t clouds = 8, turns = 3, steps = 1024;
    const std::uint32_t count = 1000 * size.scale;
    Random random(size.seed);
    std::vector<std::uint32_t> xs, ys;  // in steps
    for (std::uint32_t i = 0; i < count; ++i) {
        xs.push_back((1 + 2 * (i % clouds % 4)) * steps + random.below(steps / 2));
        ys.push_back((1 + 2 * (i % clouds / 4)) * steps + random.below(steps / 2));
    }
    Floats points;
    for (std::uint32_t i = 0; i < count; ++i) {
        points.push_back(static_cast<float>(xs[i]) / steps);
        points.push_back(static_cast<float>(ys[i]) / steps);
    }
    const Floats centres(points.begin(), points.begin() + 2 * clouds);
    Job job{.arrays = {{"points", words_of(points)},
                       {"centres", words_of(centres)},
                       {"labels", Words(count)},
                       {"sums", Words(3 * clouds)}},
            .overrides = {override_of("centre_count", clouds)}};
    for (std::uint32_t turn = 0; turn < turns; ++turn) {
        job.steps.push_back({"assign", Invocations{count}});
        job.steps.push_back({"update", Invocations{clouds}});
    }
    job.expected = [=] {
        Doubles now(centres.begin(), centres.end());
        Words labels(count);
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            Doubles sums(2 * clouds), counts(clouds);
            for (std::size_t i = 0; i < count; ++i) {
                Doubles away;
                for (std::size_t c = 0; c < clouds; ++c)
                    away.push_back(
                        std::hypot(points[2 * i] - now[2 * c], points[2 * i + 1] - now[2 * c + 1]));
                const auto label = static_cast<std::size_t>(std::ranges::min_element(away) - away.begin());
                labels[i] = static_cast<std::uint32_t>(label);
                sums[2 * label] += points[2 * i], sums[2 * label + 1] += points[2 * i + 1];
                ++counts[label];
            }
            for (std::size_t i = 0; i < 2 * clouds; ++i) now[i] = sums[i] / counts[i / 2];
        }
        // Sums are exact; both conversions, the division and the scaling round.
        return std::vector{Expected{.array = "labels", .values = std::move(labels)},
                           Expected{.array = "centres", .values = std::move(now), .relative = 4 * rounding}};
    };
    return job;
}

}  // namespace muster::kernels
