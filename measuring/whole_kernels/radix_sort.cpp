#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job radix_sort(Size size) {
    // Enough for over 512 counts, so that the scan has three turns.
    const std::uint32_t count = 9000 * size.scale, groups = (count + 255) / 256;
    Random random(size.seed);
    Words keys = random.words(count);
    for (std::uint32_t i = 0; i < count; i += 3)
        keys[i] &= 0xf000000f;  // equal keys, to see that the order is stable
    Words payloads(count);
    std::iota(payloads.begin(), payloads.end(), 0u);
    Job job{.arrays = {{"keys", keys},
                       {"payloads", payloads},
                       {"counts", Words(std::size_t{16} * groups)},
                       {"sorted_keys", Words(count)},
                       {"sorted_payloads", Words(count)},
                       {"spare_keys", Words(count)},
                       {"spare_payloads", Words(count)}}};
    for (std::uint32_t shift = 0; shift < 32; shift += 4) {
        // From the keys to the spare ones, and from there to and fro, so that the job may be repeated.
        std::map<std::string, std::string> bind;
        if (shift % 8 == 0) bind = {{"sorted_keys", "spare_keys"}, {"sorted_payloads", "spare_payloads"}};
        if (shift != 0) {
            bind["keys"] = shift % 8 == 0 ? "sorted_keys" : "spare_keys";
            bind["payloads"] = shift % 8 == 0 ? "sorted_payloads" : "spare_payloads";
        }
        const std::map<std::string, Words> uniforms{{"shift", {shift}}};
        job.steps.push_back({"count", Workgroups{groups}, uniforms, bind});
        job.steps.push_back({"scan", Workgroups{1}});
        job.steps.push_back({"scatter", Workgroups{groups}, uniforms, bind});
    }
    // In each of eight passes, keys and payloads are read and written.
    job.work = {.bytes = 8 * 16.0 * count};
    job.size = fmt::format("{} pairs", count);
    job.expected = [=] {
        Words order = payloads, sorted;
        // The payloads are ascending, so that this is a stable sort, which Clang warns of in GCC's library.
        std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(keys[i], i); });
        for (const std::uint32_t i : order) sorted.push_back(keys[i]);
        return std::vector{Expected{.array = "sorted_keys", .values = std::move(sorted)},
                           Expected{.array = "sorted_payloads", .values = std::move(order)}};
    };
    return job;
}

}  // namespace muster::kernels
