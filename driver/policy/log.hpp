// log.hpp - what muster has to say without being asked: one place, a few sentences.
//
//     log_once(LogLevel::warning, "failed cuda", "cuda comes before cpu:0 and failed: ...");
//     set_log_sink([](LogLevel level, std::string_view text) { my_log(text); });
//
// To standard error, a line each, unless an embedder takes it. MUSTER_LOG says how much: off, error, warning (the default)
// or info. Opening a session refuses another value; until then it counts as the default. Threads: any; the sink may be called
// from several at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster {

enum class LogLevel : std::uint8_t { off, error, warning, info };  // each includes those before it
std::string_view name(LogLevel level);
/// Errors: invalid_argument, with the names that there are.
Result<LogLevel> parse_log_level(std::string_view text);

/// Given to the sink only where `level` is at most log_level().
void log(LogLevel level, std::string_view text);
/// The same, the first time that this process says it under this key.
void log_once(LogLevel level, std::string_view key, std::string_view text);

/// Takes what is logged from now on. What it throws is swallowed. Empty: standard error again.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;
void set_log_sink(LogSink sink);

/// MUSTER_LOG, as it is now.
LogLevel log_level();

}  // namespace muster
