// source.hpp - where a node comes from, and how a fault is shown.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace muster {

/// A place in a source file of a program. line and column count from 1, columns in bytes; line 0: unknown.
struct SourceLocation {
    std::uint32_t file = 0;  // index into Program::files()
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    constexpr auto operator<=>(const SourceLocation&) const = default;
};

/// A file named in locations. `text` is null where it isn't at hand (C++ sources).
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

/// `file:line:column: error: sentence`, the source line with a caret below it where the text is at hand, and
/// `Fix: ...`; lines are separated by newlines, none at the end. Long lines are cut around the column,
/// control characters are shown as spaces.
std::string render(const Diagnostic& diagnostic, const SourceFile& file);

/// `saxpy.wgsl:7:5`; the file's name alone where the line is unknown.
std::string to_string(SourceLocation where, const SourceFile& file);

/// Bytes of the line break that begins at `offset`, 0 where none does. Lines end as WGSL section "Blankspace
/// and Line Breaks" says, whichever the program's language: LF, CR, CR LF, VT, FF, U+0085, U+2028, U+2029
/// (UTF-8).
std::size_t line_break_at(std::string_view text, std::size_t offset);

}  // namespace muster
