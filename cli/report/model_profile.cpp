#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/report/model_profile.hpp>
#include <muster/cli/report/timeline.hpp>
#include <muster/cli/support/file.hpp>

namespace muster::cli {
namespace {

using graph::KernelTime;
using graph::RunSummary;

std::string table(const RunSummary& summary, std::span<const KernelTime> times) {
    std::vector<double> ms(summary.steps.size());
    for (const KernelTime& time : times) ms[time.step] += time.ms;
    const double all = std::reduce(ms.begin(), ms.end());
    std::vector<std::size_t> order(ms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return ms[a] > ms[b]; });
    std::string text = fmt::format("{:>9}  {:>5}  nodes\n", "ms", "%");
    for (const std::size_t step : order) {
        if (ms[step] == 0) continue;
        text += fmt::format("{:9.3f}  {:5.1f}  {}\n", ms[step], 100 * ms[step] / all,
                            fmt::join(summary.steps[step].nodes, " + "));
    }
    return text + fmt::format("{:9.3f}  100.0  in all, {} kernels one at a time\n", all, times.size());
}

/// A line for each step that runs kernels.
std::string timeline(const RunSummary& summary, std::span<const KernelTime> times) {
    const auto ns = [](double ms) { return static_cast<std::uint64_t>(ms * 1e6); };
    std::vector<TimelineLine> lines;
    std::size_t last = SIZE_MAX;
    std::uint64_t end = 0;
    for (const KernelTime& time : times) {
        if (std::exchange(last, time.step) != time.step)
            lines.push_back({fmt::format("{}", fmt::join(summary.steps[time.step].nodes, " + "))});
        TimelineLine& line = lines.back();
        line.bars.push_back({line.name, ns(time.start_ms), ns(time.start_ms + time.ms)});
        end = std::max(end, line.bars.back().ended);
    }
    return timeline_svg(lines, 0, end);
}

}  // namespace

Result<void> check_profile_path(const std::string& path) {
    if (path == "-") return {};
    if (extension_of(path) == ".svg") return check_writable(path);
    return fail(ErrorCode::invalid_argument,
                fmt::format("A profile can't go to \"{}\": its extension says no format.", path),
                "name a .svg file, or - to print a table");
}

Result<void> write_profile(const RunSummary& summary, std::span<const KernelTime> times,
                           const std::string& path) {
    return write_text(path, path == "-" ? table(summary, times) : timeline(summary, times));
}

}  // namespace muster::cli
