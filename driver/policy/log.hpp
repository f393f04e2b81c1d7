// log.hpp - the log: few messages, a sentence or two each.
//
//     log_once(LogLevel::warning, "failed cuda", "cuda comes before cpu:0 and failed: ...");
//     set_log_sink([](LogLevel level, std::string_view text) { my_log(text); });
//
// Messages go to standard error unless a sink is set: one line each, but validation's findings several.
// MUSTER_LOG sets the level: off, error, warning (the default) or info. Opening a session refuses any other
// value; until then it counts as the default. Threads: any; the sink may be called from several at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class LogLevel : std::uint8_t { off, error, warning, info };  // each includes those before it
std::string_view name(LogLevel level);
/// Parses a level's name. Errors: invalid_argument, with the valid names.
Result<LogLevel> parse_log_level(std::string_view text);

/// Logs a message if `level` is at most log_level().
void log(LogLevel level, std::string_view text);
/// Logs a message unless the process has already logged one under this key.
void log_once(LogLevel level, std::string_view key, std::string_view text);

/// Receives all further messages; an empty sink restores standard error. Its exceptions are swallowed.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;
void set_log_sink(LogSink sink);

/// The present value of MUSTER_LOG; the default if it is unset or malformed.
LogLevel log_level();

MUSTER_API_END
}  // namespace muster
