#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <muster/driver/c_text/writer.hpp>

namespace muster::c_text {
namespace {

std::string quoted(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return text + "\"";
}

}  // namespace

void Writer::at(NodeId node) {
    node_ = node;
    source_ = node ? program_.location(node) : SourceLocation{};
}

Line& Writer::line(std::string text) {
    lines_.push_back({.text = std::move(text), .indent = indent_, .node = node_, .source = source_});
    return lines_.back();
}

void Writer::place(std::vector<Line> lines) {
    if (lines_.empty()) {
        lines_ = std::move(lines);
    } else {
        std::ranges::move(lines, std::back_inserter(lines_));
    }
}

Assembled assemble(const Program& program, std::string before, const std::vector<Line>& lines, bool debug) {
    Assembled made{.text = std::move(before)};
    auto number = static_cast<std::uint64_t>(std::ranges::count(made.text, '\n')) + 1;
    SourceLocation expected;  // where a compiler thinks that the next line comes from
    bool is_named = false;    // a #line has named the file
    const auto add = [&](std::string_view text, std::uint32_t indent) {
        made.text.append(4 * std::size_t{indent}, ' ');
        made.text += text;
        made.text += '\n';
        ++number;
        ++expected.line;
    };
    for (const Line& line : lines) {
        const bool is_known = line.source.line != 0;
        const bool same_file = is_named && expected.file == line.source.file;
        if (debug && is_known && !(same_file && expected.line == line.source.line)) {
            const std::string file = same_file ? "" : " " + quoted(program.file(line.source).name);
            add(fmt::format("#line {}{}", line.source.line, file), 0);
            expected = line.source;
            is_named = true;
        }
        if (is_known && (made.debug_map.empty() || made.debug_map.back().node != line.node))
            made.debug_map.push_back({number, line.node, line.source});
        add(line.text, line.indent);
    }
    return made;
}

}  // namespace muster::c_text
