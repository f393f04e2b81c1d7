#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/report/bench_report.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cli {
namespace {

using bench::KernelResult;
using bench::Outcome;

/// Three significant digits.
std::string three_digits(double x) {
    return x >= 100  ? fmt::format("{:.0f}", x)
           : x >= 10 ? fmt::format("{:.1f}", x)
                     : fmt::format("{:.2f}", x);
}

std::string column(const std::optional<double>& ratio) { return ratio ? three_digits(*ratio) + " x" : "-"; }

std::string roof_text(const bench::DeviceReport& device, Precision precision) {
    const Roof& roof = device.roof;
    const auto line = [](std::string_view what, double value, std::string_view unit) {
        return fmt::format("    {:16}{:>9} {}\n", what, value == 0 ? "-" : three_digits(value), unit);
    };
    return "  the roof\n" + line("copy", roof.copy_gb_s, "GB/s") +
           line("update", roof.update_gb_s, "GB/s, in place") + line("read", roof.read_gb_s, "GB/s") +
           line("multiply-add", roof.multiply_add_gflop_s,
                precision == Precision::fast ? "GFLOP/s, fused if the device fuses"
                                             : "GFLOP/s, a multiplication and an addition, each rounded") +
           line("by one workgroup", roof.lone_gflop_s, "GFLOP/s") +
           line("barriers", roof.arrivals_g_s, "G invocations/s") + line("launch", roof.launch_us, "us") +
           line("to the device", roof.to_device_gb_s, "GB/s") +
           line("from the device", roof.from_device_gb_s, "GB/s");
}

std::string row(const KernelResult& result, const Roof& roof, std::size_t size_width) {
    const auto share = percent_of_roof(result, roof);
    return fmt::format("  {:14} {:{}}  {:>8}  {:>8}  {:>9}  {:>13}  {:>7}", result.name, result.size,
                       size_width, human_time(result.times.p50_ns), human_time(result.times.p95_ns),
                       roof.is_whole()
                           ? human_time(static_cast<std::uint64_t>(bench::estimated_us(result, roof) * 1e3))
                           : "-",
                       rate_text(result), share ? fmt::format("{:.0f} %", *share) : "-");
}

std::string table(const bench::DeviceReport& device, const std::optional<EarlierBench>& earlier) {
    std::size_t width = std::string_view("size").size();
    for (const KernelResult& result : device.kernels) width = std::max(width, result.size.size());
    std::string text =
        fmt::format("  {:14} {:{}}  {:>8}  {:>8}  {:>9}  {:>13}  {:>7}{}\n", "kernel", "size", width, "p50",
                    "p95", "estimated", "rate", "of roof", earlier ? "   compared" : "");
    for (const KernelResult& result : device.kernels) {
        if (result.outcome == Outcome::measured)
            text += row(result, device.roof, width) +
                    (earlier ? fmt::format("{:>11}", column(earlier->ratio(device, result))) : "") + "\n";
        else
            text += fmt::format(
                "  {:14} {}: {}\n", result.name,
                result.outcome == Outcome::wrong_result ? "WRONG, not timed" : name(result.outcome),
                first_line(result.text));
    }
    return text;
}

std::string device_text(const bench::DeviceReport& device, Precision precision,
                        const std::optional<EarlierBench>& earlier) {
    std::string text = title(device, precision) + "\n" + roof_text(device, precision);
    for (const KernelResult& result : device.roof_kernels)
        if (result.outcome != Outcome::measured)
            text += fmt::format(
                "    {} {}: {}\n", result.name,
                result.outcome == Outcome::wrong_result ? "is WRONG, not timed" : name(result.outcome),
                first_line(result.text));
    return text + table(device, earlier) + "\n";
}

Json roof_json(const Roof& roof) {
    return {{"copy_gb_s", roof.copy_gb_s},
            {"update_gb_s", roof.update_gb_s},
            {"read_gb_s", roof.read_gb_s},
            {"multiply_add_gflop_s", roof.multiply_add_gflop_s},
            {"lone_gflop_s", roof.lone_gflop_s},
            {"arrivals_g_s", roof.arrivals_g_s},
            {"launch_us", roof.launch_us},
            {"to_device_gb_s", roof.to_device_gb_s},
            {"from_device_gb_s", roof.from_device_gb_s},
            {"typical_share", roof.typical_share}};
}

Json kernel_json(const KernelResult& result, const Roof& roof) {
    Json json{{"name", result.name}, {"outcome", name(result.outcome)}};
    if (result.outcome != Outcome::measured) {
        json["text"] = result.text;
        return json;
    }
    json["size"] = result.size;
    json["bytes"] = result.work.bytes;
    json["flops"] = result.work.flops;
    json["samples"] = result.times.samples;
    json["batch"] = result.times.batch;
    json["p05_ns"] = result.times.p05_ns;
    json["p50_ns"] = result.times.p50_ns;
    json["p95_ns"] = result.times.p95_ns;
    json["gb_s"] = result.gb_s();
    json["gflop_s"] = result.gflop_s();
    if (const auto share = percent_of_roof(result, roof)) json["roof_percent"] = *share;
    json["counted"] = Json::array();
    for (const DispatchWork& work : result.dispatches)
        json["counted"].push_back({{"operations", work.operations},
                                   {"bytes", work.bytes},
                                   {"arrivals", work.arrivals},
                                   {"is_guess", work.is_guess}});
    if (roof.is_whole()) json["estimated_ns"] = bench::estimated_us(result, roof) * 1e3;
    return json;
}

}  // namespace

std::optional<double> percent_of_roof(const KernelResult& result, const Roof& roof) {
    const double least = bench::least_seconds(result.work, roof);
    if (result.outcome != Outcome::measured || least == 0) return std::nullopt;
    return 100 * least * 1e9 / static_cast<double>(result.times.p50_ns);
}

std::string rate_text(const KernelResult& result) {
    return result.counts_flops ? three_digits(result.gflop_s()) + " GFLOP/s"
                               : three_digits(result.gb_s()) + " GB/s";
}

std::string title(const bench::DeviceReport& device, Precision precision) {
    return fmt::format("{}  {}, {} mode", device.id, device.info.name, name(precision));
}

std::string bench_text(const bench::Report& report, const std::optional<EarlierBench>& earlier) {
    std::string text;
    for (const bench::DeviceReport& device : report.devices)
        text += device_text(device, report.precision, earlier);
    if (earlier) text += "compared: how many times as fast as in " + earlier->file() + "\n\n";
    return text.substr(0, text.empty() ? 0 : text.size() - 1);
}

Json to_json(const bench::Report& report, const std::optional<EarlierBench>& earlier) {
    Json json{{"version", MUSTER_VERSION}, {"mode", name(report.precision)}, {"devices", Json::array()}};
    for (const bench::DeviceReport& device : report.devices) {
        Json one{{"id", device.id},
                 {"backend", device.backend},
                 {"device", to_json(report::of(device.info))},
                 {"roof", roof_json(device.roof)},
                 {"roof_kernels", Json::array()},
                 {"kernels", Json::array()}};
        for (const KernelResult& result : device.roof_kernels)
            one["roof_kernels"].push_back(kernel_json(result, device.roof));
        for (const KernelResult& result : device.kernels) {
            Json& row = one["kernels"].emplace_back(kernel_json(result, device.roof));
            if (!earlier) continue;
            const auto ratio = earlier->ratio(device, result);
            row["compared"] = ratio ? Json(*ratio) : Json(nullptr);
        }
        json["devices"].push_back(std::move(one));
    }
    return json;
}

}  // namespace muster::cli
