#include <numeric>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job scan(Size size) {
    // At scale 70, more than 256 blocks of 1024, so that the scan of their totals has two turns.
    const std::uint32_t count = 4000 * size.scale, groups = (count + 1023) / 1024;
    const Words before = Random(size.seed).words(count);
    Job job{.arrays = {{"before", before}, {"after", Words(count)}, {"totals", Words(groups)}},
            .steps = {{"blocks", Workgroups{groups}},
                      {"totals_before", Workgroups{1}},
                      {"add", Workgroups{groups}}},
            .work = {.bytes = 8.0 * count},
            .size = fmt::format("{} integers", count)};
    job.expected = [=] {
        Words sums(count);
        std::partial_sum(before.begin(), before.end(), sums.begin());
        return std::vector{Expected{.array = "after", .values = std::move(sums)}};
    };
    return job;
}

}  // namespace muster::kernels
