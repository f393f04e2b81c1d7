#include <muster/foundation/wgsl/tokens/utf8.hpp>

namespace muster::wgsl {
namespace {

unsigned char byte_at(std::string_view text, std::size_t offset) {
    return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t offset) {
    const unsigned char lead = byte_at(text, offset);
    if (lead < 0x80) return {lead, 1};

    std::size_t bytes = 0;
    char32_t value = 0, smallest = 0;
    if ((lead & 0xe0u) == 0xc0u) {
        bytes = 2, value = lead & 0x1fu, smallest = 0x80;
    } else if ((lead & 0xf0u) == 0xe0u) {
        bytes = 3, value = lead & 0x0fu, smallest = 0x800;
    } else if ((lead & 0xf8u) == 0xf0u) {
        bytes = 4, value = lead & 0x07u, smallest = 0x10000;
    } else {
        return {};
    }
    for (std::size_t i = 1; i < bytes; ++i) {
        const unsigned char next = byte_at(text, offset + i);
        if ((next & 0xc0u) != 0x80u) return {};
        value = (value << 6) | (next & 0x3fu);
    }
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    if (value < smallest || value > 0x10ffff || surrogate) return {};
    return {value, bytes};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const CodePoint point = code_point_at(text, at);
        if (point.bytes == 0) return at;
        at += point.bytes;
    }
    return std::nullopt;
}

}  // namespace muster::wgsl
