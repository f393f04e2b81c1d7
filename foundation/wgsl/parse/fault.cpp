#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <muster/foundation/base/source_line.hpp>
#include <muster/foundation/wgsl/parse/fault.hpp>

namespace muster::wgsl {
namespace {

/// The bytes of the name, number or sign that begins the text.
std::size_t word_bytes(std::string_view text) {
    const auto is_part = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || std::isalnum(byte) != 0 || byte == '_';
    };
    const auto end = std::ranges::find_if_not(text, is_part);
    return std::max<std::size_t>(1, static_cast<std::size_t>(end - text.begin()));
}

/// The line with a mark under the stretch, and a caret under the place.
std::string show(SourceLocation where, std::uint32_t begin, std::uint32_t end, const SourceFile& file) {
    if (!file.text || where.line == 0 || where.column == 0) return {};
    const std::size_t at = offset_of(where, *file.text);
    if (begin == end || at < begin || at >= end)
        return show_line(where, 0, word_bytes(std::string_view(*file.text).substr(at)), file);
    return show_line(where, at - begin, end - at, file);
}

}  // namespace

// The largest of the expressions at one place counts: of a call and its callee, the call.
void mark_expressions(const ast::Module& module, std::span<Fault> faults) {
    for (const ast::Expression& each : module.expressions)
        for (Fault& fault : faults)
            if (fault.where == each.where && !fault.is_of_word &&
                each.end - each.begin > fault.end - fault.begin) {
                fault.begin = each.begin;
                fault.end = each.end;
            }
}

std::string render(const Fault& fault, const SourceFile& file) {
    std::string out = fmt::format("{}: error: {}", to_string(fault.where, file), fault.message);
    if (const std::string line = show(fault.where, fault.begin, fault.end, file); !line.empty())
        out += "\n" + line;
    for (const RelatedPlace& each : fault.others) {
        out += fmt::format("\n{}: {}:", to_string(each.where, file), each.what);
        if (const std::string line = show(each.where, 0, 0, file); !line.empty()) out += "\n" + line;
    }
    if (!fault.fix.empty()) out += "\nFix: " + fault.fix;
    return out;
}

}  // namespace muster::wgsl
