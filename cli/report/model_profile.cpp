#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/report/model_profile.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/svg.hpp>

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

constexpr std::string_view style = R"(
text { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1c2024; }
.soft { fill: #60646c; }
.bar { fill: #0072b2; }
.grid { stroke: #e8eaed; stroke-width: 1; }
)";

/// A row for each step that runs kernels, each kernel a bar from its start to its end.
std::string timeline(const RunSummary& summary, std::span<const KernelTime> times) {
    constexpr double names = 360, width = 900, row = 18, top = 40;
    double end = 0;
    for (const KernelTime& time : times) end = std::max(end, time.start_ms + time.ms);
    const double scale = end > 0 ? width / end : 0;
    std::string body;
    double y = top;
    std::size_t last = SIZE_MAX;
    for (const KernelTime& time : times) {
        if (time.step != last) {
            if (last != SIZE_MAX) y += row;
            last = time.step;
            std::string name = fmt::format("{}", fmt::join(summary.steps[time.step].nodes, " + "));
            constexpr std::size_t most = 52;
            if (name.size() > most) name = name.substr(0, most) + "...";
            body += fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>\n", y + 13, xml_text(name));
        }
        body += fmt::format(
            "<rect class=\"bar\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\"><title>{}: {:.3f} "
            "ms</title></rect>\n",
            names + time.start_ms * scale, y + 3, std::max(time.ms * scale, 0.5), row - 6,
            xml_text(fmt::format("{}", fmt::join(summary.steps[time.step].nodes, " + "))), time.ms);
    }
    for (int i = 0; i <= 10; ++i) {
        const double x = names + width * i / 10;
        body = fmt::format(
                   "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>\n"
                   "<text class=\"soft\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.2f} ms</text>\n",
                   x, top, y + row, top - 12, end * i / 10) +
               body;
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\">\n<style>{}</style>\n{}</svg>\n",
        names + width + 40, y + row + 20, style, body);
}

}  // namespace

Result<void> check_profile_path(const std::string& path) {
    if (path == "-") return {};
    if (extension_of(path) != ".svg") {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A profile can't go to \"{}\": its extension says no format.", path),
                    "name a .svg file, or - to print a table");
    }
    return check_writable(path);
}

Result<void> write_profile(const RunSummary& summary, std::span<const KernelTime> times,
                           const std::string& path) {
    return write_text(path, path == "-" ? table(summary, times) : timeline(summary, times));
}

}  // namespace muster::cli
