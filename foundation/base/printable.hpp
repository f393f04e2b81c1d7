// printable.hpp - makes text from outside (the environment, files, drivers) safe to show.
//
//     fail(ErrorCode::not_found, fmt::format("There is no file {}.", printable(path)));
//
// The output is for people and can't be parsed back: a backslash isn't doubled. Threads: any.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Returns the text with everything that isn't printable UTF-8 escaped: "\n", "\x1b", "\u202e". The result
/// holds no line ends, terminal control sequences or invalid bytes.
std::string printable(std::string_view text);

MUSTER_API_END
}  // namespace muster
