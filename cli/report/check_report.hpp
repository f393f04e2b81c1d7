// check_report.hpp - the report of `muster check` as a table, and as JSON; docs/tool.md documents the schema.
#pragma once

#include <string>

#include <muster/cli/support/json.hpp>
#include <muster/conformance/report.hpp>

namespace muster::cli {

/// A case's result on a device in one line, as it is known; a failure's first line follows it.
std::string result_line(const std::string& device, const conformance::CaseResult& result);

/// A table for each device, then its deviations, known gaps and failures.
std::string check_text(const conformance::Report& report);

Json to_json(const conformance::Report& report);

/// "promised; 0 of 4096 differ", "no promise; 12 of 4096 differ, by up to 2 ulp (fast mode)".
std::string deviation_text(const conformance::Deviation& deviation);

/// The command that runs this case alone on the device.
std::string repeat_command(const conformance::DeviceReport& device, const conformance::CaseResult& result);

}  // namespace muster::cli
