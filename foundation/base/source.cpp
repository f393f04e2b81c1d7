#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/base/source_line.hpp>

namespace muster {
namespace {

constexpr std::size_t shown_width = 100;  // columns of a source line that a diagnostic shows

std::size_t after_line(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (const std::size_t bytes = line_break_at(text, at)) return at + bytes;
        ++at;
    }
    return text.size();
}

// Returns where a line begins; lines count from 1.
std::size_t line_begin(std::string_view text, std::uint32_t line) {
    std::size_t begin = 0;
    for (std::uint32_t i = 1; i < line && begin < text.size(); ++i) begin = after_line(text, begin);
    return begin;
}

// Returns one line of the text, without its line break; lines count from 1.
std::string_view line_of(std::string_view text, std::uint32_t line) {
    const std::size_t begin = line_begin(text, line);
    std::size_t end = begin;
    while (end < text.size() && line_break_at(text, end) == 0) ++end;
    return text.substr(begin, end - begin);
}

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

// Returns the length in bytes of the UTF-8 sequence that begins at `at`; 1 if it is invalid.
std::size_t sequence_bytes(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    if (lead >= 0xf5 || at + wanted > text.size()) return 1;
    for (std::size_t i = 1; i < wanted; ++i)
        if (!continues_code_point(text[at + i])) return 1;
    return wanted;
}

// True for what a terminal acts on: control characters, marks that change the writing direction, line ends.
bool is_shown_as_space(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first < 0x20 || first >= 0x7f;
    if (sequence.size() == 2) return first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
    const auto third = static_cast<unsigned char>(sequence[2]);
    if (sequence.starts_with("\xe2\x80"))
        return third <= 0x8f ? third >= 0x8b : third >= 0xa8 && third <= 0xae;
    return sequence.starts_with("\xe2\x81") && third >= 0xa0 && third <= 0xaf;
}

// A source line ready to print: each control character becomes a space, so that the caret line needs no tabs.
struct ShownLine {
    std::string text;
    std::size_t caret = 0;           // columns before it
    std::size_t begin = 0, end = 0;  // the columns that are marked, the caret's among them
};

ShownLine show(std::string_view line, std::size_t column, std::size_t marked_before,
               std::size_t marked_from) {
    ShownLine shown;
    const std::size_t target = std::min(column - 1, line.size());
    const std::size_t first = target - std::min(marked_before, target);
    const std::size_t behind = target + std::min(marked_from, line.size() - target);
    const std::size_t before = shown_width / 2;
    std::size_t begin = target > before && line.size() > shown_width ? target - before : 0;
    while (begin > 0 && continues_code_point(line[begin])) --begin;
    if (begin > 0) shown.text = "...";
    std::size_t width = shown.text.size();
    std::size_t at = begin;
    shown.caret = shown.begin = width;
    for (; at < line.size() && width < shown_width; ++width) {
        if (at <= first) shown.begin = width;
        if (at <= target) shown.caret = width;
        const std::string_view sequence = line.substr(at, sequence_bytes(line, at));
        if (is_shown_as_space(sequence)) {
            shown.text += ' ';
        } else {
            shown.text += sequence;
        }
        at += sequence.size();
        if (at <= behind) shown.end = width + 1;
    }
    if (at <= first) shown.begin = width;
    if (at <= target) shown.caret = width;
    shown.end = std::max(shown.end, shown.caret + 1);
    if (at < line.size()) shown.text += "...";
    return shown;
}

}  // namespace

std::size_t line_break_at(std::string_view text, std::size_t offset) {
    const char c = text[offset];
    if (c > '\r' && c <= '~') return 0;  // nearly always
    if (c == '\n' || c == '\v' || c == '\f') return 1;
    if (c == '\r') return offset + 1 < text.size() && text[offset + 1] == '\n' ? 2 : 1;
    const std::string_view rest = text.substr(offset, 3);
    if (rest.starts_with("\xc2\x85")) return 2;
    return rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9" ? 3 : 0;
}

std::string to_string(SourceLocation where, const SourceFile& file) {
    if (where.line == 0) return file.name;
    return fmt::format("{}:{}:{}", file.name, where.line, where.column);
}

std::string show_line(SourceLocation where, const SourceFile& file) { return show_line(where, 0, 0, file); }

std::string show_line(SourceLocation where, std::size_t before, std::size_t from, const SourceFile& file) {
    if (!file.text || where.line == 0 || where.column == 0) return {};
    const ShownLine shown = show(line_of(*file.text, where.line), where.column, before, from);
    return fmt::format("{}\n{:{}}{:~>{}}^{:~>{}}", shown.text, "", shown.begin, "", shown.caret - shown.begin,
                       "", shown.end - shown.caret - 1);
}

std::size_t offset_of(SourceLocation where, std::string_view text) {
    return std::min(line_begin(text, where.line) + where.column - 1, text.size());
}

std::string render(const Diagnostic& diagnostic, const SourceFile& file) {
    std::string out = fmt::format("{}: error: {}", to_string(diagnostic.where, file), diagnostic.message);
    if (const std::string line = show_line(diagnostic.where, file); !line.empty()) out += "\n" + line;
    if (!diagnostic.fix.empty()) fmt::format_to(std::back_inserter(out), "\nFix: {}", diagnostic.fix);
    return out;
}

}  // namespace muster
