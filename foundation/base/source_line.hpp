// source_line.hpp - shows one line of a source file. Internal to foundation and the tool.
#pragma once

#include <string>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/source.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The line and, below it, a caret under the column, as render() shows them; empty if the text isn't available.
std::string show_line(SourceLocation where, const SourceFile& file);

MUSTER_API_END
}  // namespace muster
