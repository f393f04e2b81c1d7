// source.hpp - source locations, and how a diagnostic is shown.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A location in one of a program's source files. line and column count from 1, columns in
/// bytes; line 0 means unknown.
struct SourceLocation {
    std::uint32_t file = 0;  // index into Program::files()
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    constexpr auto operator<=>(const SourceLocation&) const = default;
};

/// A file that locations refer to. `text` is null if it isn't available (C++ sources).
struct SourceFile {
    std::string name;
    std::shared_ptr<const std::string> text;
};

/// One fault in a program's text.
struct Diagnostic {
    SourceLocation where;
    std::string message;  // a full sentence
    std::string fix;      // what to change; may be empty
};

/// Renders a diagnostic as `file:line:column: error: sentence`, then the source line with a caret below it if
/// the text is available, then `Fix: ...`. Lines are separated by newlines; none at the end. Long lines are
/// cut around the column; control characters are shown as spaces.
std::string render(const Diagnostic& diagnostic, const SourceFile& file);

/// Returns `saxpy.wgsl:7:5`, or the file's name alone if the line is unknown.
std::string to_string(SourceLocation where, const SourceFile& file);

/// Returns the length in bytes of the line break that begins at `offset`, or 0 if none does. Line breaks are
/// those of WGSL section "Blankspace and Line Breaks", whatever the program's language: LF, CR, CR LF, VT,
/// FF, U+0085, U+2028, U+2029 (UTF-8).
std::size_t line_break_at(std::string_view text, std::size_t offset);

MUSTER_API_END
}  // namespace muster
