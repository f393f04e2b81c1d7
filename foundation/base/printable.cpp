#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/printable_piece.hpp>

namespace muster {
namespace {

/// Most bytes of a piece: each becomes at most ten characters.
constexpr std::size_t most_bytes = 128;

/// The bytes of the first piece, which ends between two characters.
std::size_t first_bytes(std::string_view text) {
    if (text.size() <= most_bytes) return text.size();
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
    };
    for (std::size_t end = most_bytes; end + 4 > most_bytes; --end)
        if (!continues(end)) return end;
    return most_bytes;  // no UTF-8
}

}  // namespace

std::string_view printable_piece(std::string_view& text, PrintableRoom& room) {
    const std::size_t bytes = first_bytes(text);
    const auto quoted = fmt::format_to_n(room.data(), room.size(), "{:?}", text.substr(0, bytes));
    text.remove_prefix(bytes);
    const std::size_t size = std::min(quoted.size, room.size());
    std::size_t shown = 0;
    for (std::size_t i = 1; i + 1 < size; ++i) {
        // Keep fmt's escapes except for backslashes and quotes, which are escaped only because {:?} quotes.
        if (room[i] == '\\' && (room[i + 1] == '\\' || room[i + 1] == '"')) ++i;
        room[shown++] = room[i];
    }
    return {room.data(), shown};
}

std::string printable(std::string_view text) {
    std::string shown;
    PrintableRoom room;
    while (!text.empty()) shown += printable_piece(text, room);
    return shown;
}

}  // namespace muster
