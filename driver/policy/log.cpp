#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/support/fork_ranks.hpp>
#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {
namespace {

constexpr std::size_t most_keys = 10'000;  // after so many keys, log_once() logs no new ones

struct Log {
    ForkSafeMutex mutex{fork_rank_of_log};
    LogSink sink;
    std::set<std::string, std::less<>> logged;
};
Log& process_log() {
    static auto* const shared = new Log;  // outlives every static that might still log
    return *shared;
}

}  // namespace

std::string_view name(LogLevel level) { return enum_name(level); }

Result<LogLevel> parse_log_level(std::string_view text) {
    if (const auto level = enum_named<LogLevel>(text)) return *level;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a level of logging.", printable(text)),
                fmt::format("give one of: {}", fmt::join(enum_names<LogLevel>(), ", ")));
}

LogLevel log_level() { return environment_log_level().value_or(LogLevel::warning); }

void log(LogLevel level, std::string_view text) {
    if (level == LogLevel::off || level > log_level()) return;
    LogSink sink;
    {
        Log& shared = process_log();
        const std::lock_guard lock(shared.mutex);
        sink = shared.sink;
    }
    try {
        if (sink) return sink(level, text);
        fmt::print(stderr, "muster: {}: {}\n", name(level), text);
    } catch (...) {  // a failure to log can't be reported
    }
}

void log_once(LogLevel level, std::string_view key, std::string_view text) {
    if (level == LogLevel::off || level > log_level()) return;  // keeps the key unused: the level may change
    {
        Log& shared = process_log();
        const std::lock_guard lock(shared.mutex);
        if (shared.logged.contains(key) || shared.logged.size() >= most_keys) return;
        shared.logged.emplace(key);
    }
    log(level, text);
}

void set_log_sink(LogSink sink) {
    Log& shared = process_log();
    const std::lock_guard lock(shared.mutex);
    shared.sink = std::move(sink);
}

}  // namespace muster
