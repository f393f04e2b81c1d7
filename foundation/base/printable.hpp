// printable.hpp - text from outside (the environment, files, drivers), made safe to show.
//
//     fail(ErrorCode::not_found, fmt::format("There is no file {}.", printable(path)));
//
// For people, not to be read back: a backslash stays one. Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The text, with what isn't printable UTF-8 as escapes: "\n", "\x1b", "\u202e". No line ends, no terminal's control
/// sequences, no bytes that aren't text.
std::string printable(std::string_view text);

}  // namespace muster
