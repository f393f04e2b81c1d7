// source_line.hpp - shows one line of a source file. Internal to foundation and the tool.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/source.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The line and, below it, a caret under the column, as render() shows them; empty if
/// the text isn't available.
std::string show_line(SourceLocation where, const SourceFile& file);

MUSTER_API_END

/// Likewise, with `~` under as many bytes of the line before the column, and from it on.
std::string show_line(SourceLocation where, std::size_t before, std::size_t from, const SourceFile& file);

/// The offset of a location in its file's text; the text's size if it is behind the end.
std::size_t offset_of(SourceLocation where, std::string_view text);

}  // namespace muster
