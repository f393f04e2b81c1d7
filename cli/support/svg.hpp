// svg.hpp - text in the tool's pictures and pages.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

/// The text with XML's special characters escaped, and those that can't be shown as escapes (printable()).
std::string xml_text(std::string_view text);

}  // namespace muster::cli
