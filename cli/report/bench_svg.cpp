#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <muster/cli/report/bench_report.hpp>
#include <muster/cli/report/bench_svg.hpp>
#include <muster/cli/support/svg.hpp>

namespace muster::cli {
namespace {

using bench::KernelResult;
using bench::Outcome;

constexpr double width = 1000, panel_height = 520;

// Blue and vermilion of Okabe and Ito's palette, which differ for colour-blind readers too.
constexpr std::string_view svg_style = R"(
text { font: 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1c2024; }
.title { font-size: 17px; font-weight: 600; }
.soft { fill: #60646c; font-size: 12px; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: #e8eaed; stroke-width: 1; }
.roof { stroke: #0072b2; stroke-width: 2.5; fill: none; stroke-linejoin: round; }
.roof-text { fill: #0072b2; font-weight: 600; }
.leader { stroke: #b9bec6; stroke-width: 1; }
.point { fill: #d55e00; stroke: #fff; stroke-width: 1.5; }
.track { fill: #f0f1f3; }
.bar { fill: #d55e00; }
)";

std::string text_at(double x, double y, std::string_view kind, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind,
                       xml_text(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view kind) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1,
                       y1, x2, y2, kind);
}

/// An axis of logarithms, from a power of the base to a power of it.
struct Axis {
    double base, low, high;  // exponents
    double from, to;         // pixels
    double at(double value) const {
        return from + (to - from) * (std::log(value) / std::log(base) - low) / (high - low);
    }
};

Axis axis_over(double base, double least, double most, double from, double to) {
    const double unit = std::log(base);
    return {base, std::floor(std::log(least) / unit), std::ceil(std::log(most) / unit), from, to};
}

struct Box {
    double x, y, width, height;
    bool overlaps(const Box& other) const {
        return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
               other.y < y + height;
    }
};

/// Places labels beside points so that none covers another or a point.
class Labels {
  public:
    void reserve(Box box) { taken_.push_back(box); }
    /// The label's box: the nearest free place around the point, else the first.
    Box place(double x, double y, const std::string& text, const Box& within) {
        const double long_ = 8.0 * static_cast<double>(text.size()) + 4, high = 16;
        std::vector<Box> places;
        for (const double away : {10.0, 26.0, 44.0, 62.0, 80.0})
            for (const auto& [dx, dy] : {std::pair{1.0, 0.0},
                                         {-1.0, 0.0},
                                         {0.7, 0.7},
                                         {-0.7, 0.7},
                                         {0.7, -0.7},
                                         {-0.7, -0.7},
                                         {0.0, 1.0},
                                         {0.0, -1.0}}) {
                const double left = dx > 0 ? x + dx * away : dx < 0 ? x + dx * away - long_ : x - long_ / 2;
                places.push_back({left, y + dy * away - high / 2, long_, high});
            }
        const auto is_free = [&](const Box& box) {
            return box.x >= within.x && box.x + box.width <= within.x + within.width && box.y >= within.y &&
                   box.y + box.height <= within.y + within.height &&
                   std::ranges::none_of(taken_, [&](const Box& other) { return box.overlaps(other); });
        };
        const auto found = std::ranges::find_if(places, is_free);
        return taken_.emplace_back(found == places.end() ? places.front() : *found);
    }

  private:
    std::vector<Box> taken_;
};

double intensity(const KernelResult& result) { return result.work.flops / result.work.bytes; }

/// "1/8", "4": a power of two.
std::string power_of_two(double exponent) {
    return exponent < 0 ? fmt::format("1/{:.0f}", std::exp2(-exponent))
                        : fmt::format("{:.0f}", std::exp2(exponent));
}

std::string power_of_ten(double exponent) { return fmt::format("{:g}", std::pow(10, exponent)); }

/// The roofline, with a point and a label for each kernel.
std::string chart(const Roof& roof, const std::vector<const KernelResult*>& points, const Box& area) {
    const double ridge = roof.multiply_add_gflop_s / roof.bandwidth_gb_s();
    double left = ridge / 4, right = ridge * 4, bottom = roof.multiply_add_gflop_s / 10;
    for (const KernelResult* point : points) {
        left = std::min(left, intensity(*point) / 1.5);
        right = std::max(right, intensity(*point) * 1.5);
        bottom = std::min(bottom, point->gflop_s() / 1.5);
    }
    bottom = std::min(bottom, left * roof.bandwidth_gb_s());
    const Axis x = axis_over(2, left, right, area.x, area.x + area.width);
    const Axis y = axis_over(10, bottom, roof.multiply_add_gflop_s * 1.5, area.y + area.height, area.y);

    std::string svg;
    const double x_step = std::ceil((x.high - x.low) / 12);
    for (double power = x.low; power <= x.high; power += x_step) {
        const double at = x.at(std::exp2(power));
        svg += line(at, area.y, at, area.y + area.height, "grid");
        svg += text_at(at, area.y + area.height + 18, "soft middle", power_of_two(power));
    }
    for (double power = y.low; power <= y.high; ++power) {
        const double at = y.at(std::pow(10, power));
        svg += line(area.x, at, area.x + area.width, at, "grid");
        svg += text_at(area.x - 8, at + 4, "soft end", power_of_ten(power));
    }
    svg += text_at(area.x + area.width / 2, area.y + area.height + 38, "soft middle", "FLOP per byte");
    svg += text_at(area.x - 48, area.y - 16, "soft", "GFLOP/s");

    // The slanted part begins where it enters the chart.
    const double enters = std::max(std::exp2(x.low), std::pow(10, y.low) / roof.bandwidth_gb_s());
    const double y_top = y.at(roof.multiply_add_gflop_s), x_ridge = x.at(ridge);
    svg += fmt::format("<polyline class=\"roof\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
                       x.at(enters), y.at(enters * roof.bandwidth_gb_s()), x_ridge, y_top,
                       area.x + area.width, y_top);
    Labels labels;
    const std::string compute = fmt::format("{:.3g} GFLOP/s", roof.multiply_add_gflop_s);
    svg += text_at(area.x + area.width - 4, y_top - 8, "roof-text end", compute);
    const std::string memory = fmt::format("{:.3g} GB/s", roof.bandwidth_gb_s());
    const double x_memory = x.at(enters) + 0.25 * (x_ridge - x.at(enters));
    const double slope = (y_top - y.at(enters * roof.bandwidth_gb_s())) / (x_ridge - x.at(enters));
    const double y_memory = y.at(enters * roof.bandwidth_gb_s()) + slope * (x_memory - x.at(enters));
    svg += fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" class=\"roof-text\" transform=\"rotate({2:.1f} {0:.1f} "
        "{1:.1f})\">{3}</text>\n",
        x_memory, y_memory - 9, std::atan(slope) * 57.29578, memory);
    // Labels keep off the roof: off short boxes along it.
    for (double at = x.at(enters); at < area.x + area.width; at += 6)
        labels.reserve({at, (at < x_ridge ? y_memory + slope * (at - x_memory) : y_top) - 4, 6, 8});
    for (const KernelResult* point : points)
        labels.reserve({x.at(intensity(*point)) - 6, y.at(point->gflop_s()) - 6, 12, 12});
    std::string dots;
    for (const KernelResult* point : points) {
        const double px = x.at(intensity(*point)), py = y.at(point->gflop_s());
        const Box label = labels.place(px, py, point->name, area);
        svg += line(px, py, std::clamp(px, label.x, label.x + label.width), label.y + label.height / 2,
                    "leader");
        dots += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"point\"><title>{}: {}, {:.2f} FLOP per "
            "byte</title></circle>\n",
            px, py, xml_text(point->name), rate_text(*point), intensity(*point));
        dots += text_at(label.x + 2, label.y + 12, "label", point->name);
    }
    return svg + dots;
}

/// A bar for each kernel: its share of the roof.
std::string bars(const bench::DeviceReport& device, double x, double y) {
    constexpr double row = 24, names = 104, longest = 110;
    std::string svg = text_at(x, y, "soft", "share of the roof, and rate");
    for (const KernelResult& result : device.kernels) {
        y += row;
        svg += text_at(x, y + 4, "name", result.name);
        const auto share = percent_of_roof(result, device.roof);
        if (!share) {
            svg += text_at(x + names, y + 4, "soft",
                           result.outcome == Outcome::wrong_result ? "wrong, not timed"
                           : result.outcome == Outcome::measured   ? rate_text(result)
                                                                   : std::string(name(result.outcome)));
            continue;
        }
        const auto bar = [&](double part, std::string_view kind) {
            return fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" rx=\"2\" class=\"{}\"/>\n",
                x + names, y - 6, std::max(1.0, longest * part), kind);
        };
        svg += bar(1, "track") + bar(std::min(1.0, *share / 100), "bar");
        svg += text_at(x + names + longest + 42, y + 4, "end", fmt::format("{:.0f} %", *share));
        svg += text_at(x + names + longest + 52, y + 4, "soft", rate_text(result));
    }
    return svg;
}

std::string panel(const bench::DeviceReport& device, Precision precision, double top) {
    std::string svg = text_at(24, top + 34, "title", title(device, precision));
    std::vector<const KernelResult*> points;
    for (const KernelResult& result : device.kernels)
        if (result.outcome == Outcome::measured && result.work.flops > 0) points.push_back(&result);
    // From the top down, so that labels of crowded points move downwards.
    std::ranges::sort(points, std::greater{}, [](const KernelResult* point) { return point->gflop_s(); });
    if (device.roof.bandwidth_gb_s() > 0 && device.roof.multiply_add_gflop_s > 0)
        svg += chart(device.roof, points, {72, top + 76, 520, 370});
    else
        svg += text_at(72, top + 200, "soft", "The roof isn't measured.");
    return svg + bars(device, 640, top + 66);
}

}  // namespace

std::string bench_svg(const bench::Report& report) {
    const double height = panel_height * static_cast<double>(report.devices.size());
    std::string svg = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>muster "
        "bench</title>\n<style>{2}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        width, height, svg_style);
    double top = 0;
    for (const bench::DeviceReport& device : report.devices) {
        svg += panel(device, report.precision, top);
        top += panel_height;
    }
    return svg + "</svg>\n";
}

}  // namespace muster::cli
