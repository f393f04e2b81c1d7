#include <algorithm>
#include <cstdio>

#include <muster/cli/support/exit.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/foundation/base/printable_piece.hpp>

namespace muster::cli {

Exit exit_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
        case ErrorCode::not_found:
        case ErrorCode::conflict: return Exit::usage;
        case ErrorCode::invalid_program: return Exit::bad_program;
        case ErrorCode::unsupported:
        case ErrorCode::limit_exceeded:
        case ErrorCode::refused:
        case ErrorCode::unavailable: return Exit::refused;
        case ErrorCode::compile_failed:
        case ErrorCode::compile_timed_out:
        case ErrorCode::device_lost:
        case ErrorCode::out_of_memory:
        case ErrorCode::timed_out:
        case ErrorCode::io_failed:
        case ErrorCode::internal: return Exit::failed;
    }
    return Exit::failed;
}

namespace {

void put(std::string_view text, std::FILE* to) { std::fwrite(text.data(), 1, text.size(), to); }

/// Escapes unprintable characters, except line breaks and tabs. Allocates nothing, since a report
/// may be of a lack of memory.
void write(std::string_view text, std::FILE* to) {
    PrintableRoom room;
    while (!text.empty()) {
        std::string_view part = text.substr(0, text.find_first_of("\n\t"));
        text.remove_prefix(part.size());
        while (!part.empty()) put(printable_piece(part, room), to);
        const std::size_t breaks = std::min(text.find_first_not_of("\n\t"), text.size());
        put(text.substr(0, breaks), to);
        text.remove_prefix(breaks);
    }
}

}  // namespace

void complain(std::string_view text) { write(text, stderr); }

void complain(const Error& error) {
    complain(error.message);
    for (const std::string& step : error.context) {
        complain("\n  while ");
        complain(step);
    }
    if (!error.fix.empty()) complain("\nFix: ");
    complain(error.fix);
    complain("\n");
}

void complain_of_memory() {
    constexpr std::string_view text = "This machine has no memory left for that.\nFix: use smaller arrays.\n";
    platform::print_at_once(text);
}

void say(std::string_view text) { write(text, stdout); }

std::unexpected<Failure> misused(std::string what, std::string fix) {
    return std::unexpected(
        Failure{Exit::usage, {ErrorCode::invalid_argument, std::move(what), std::move(fix), {}}});
}

std::unexpected<Failure> taken_by_json(const std::string& option) {
    return misused("Standard output can't take both --json and " + option + ".",
                   "name a file instead of -, or leave --json out");
}

}  // namespace muster::cli
