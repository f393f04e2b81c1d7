// bench_report.hpp - what `muster bench` measured, as a table and as JSON; docs/tool.md documents the schema.
#pragma once

#include <optional>
#include <string>

#include <muster/cli/report/bench_compare.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::cli {

/// The attained share of the roof, in percent; none if either isn't measured.
std::optional<double> percent_of_roof(const bench::KernelResult& result, const Roof& roof);

/// "12.3 GB/s", "456 GFLOP/s": the kernel's customary rate.
std::string rate_text(const bench::KernelResult& result);

/// A device's name with its mode: "cpu:0  AMD EPYC, exact mode".
std::string title(const bench::DeviceReport& device, Precision precision);

/// For each device its roof, a row for each kernel, and what went wrong. `earlier` adds a column.
std::string bench_text(const bench::Report& report, const std::optional<EarlierBench>& earlier);

Json to_json(const bench::Report& report, const std::optional<EarlierBench>& earlier);

}  // namespace muster::cli
