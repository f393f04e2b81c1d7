// check_html.hpp - the report of `muster check` as one self-contained page: no script,
// nothing loaded from elsewhere.
#pragma once

#include <string>

#include <muster/conformance/report.hpp>

namespace muster::cli {

std::string check_html(const conformance::Report& report);

}  // namespace muster::cli
