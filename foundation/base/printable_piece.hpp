// printable_piece.hpp - printable() piece by piece, for reports that must not allocate.
//
//     PrintableRoom room;
//     while (!text.empty()) write(printable_piece(text, room));
//
// Threads: any.
#pragma once

#include <array>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Room for a piece, whatever it holds.
using PrintableRoom = std::array<char, 2048>;

/// Takes some characters from the front of `text`, which isn't empty, and returns what printable() makes of
/// them. Allocates nothing; the result lies in `room`.
std::string_view printable_piece(std::string_view& text, PrintableRoom& room);

MUSTER_API_END
}  // namespace muster
