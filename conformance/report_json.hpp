// report_json.hpp - a check's report as JSON; docs/tool.md documents the members.
#pragma once

#include <muster/conformance/report.hpp>
#include <muster/driver/report/json.hpp>

namespace muster::conformance {

report::Json report_json(const Report& report);

}  // namespace muster::conformance
