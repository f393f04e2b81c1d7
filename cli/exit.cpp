#include <algorithm>
#include <cstdio>

#include <muster/cli/exit.hpp>
#include <muster/foundation/base/printable.hpp>

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

/// Escapes unprintable characters, except line breaks and tabs.
std::string shown(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find_first_of("\n\t"), text.size());
        result += printable(text.substr(0, length));
        if (length < text.size()) result += text[length];
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return result;
}

void write(std::string_view text, std::FILE* to) {
    const std::string safe = shown(text);
    std::fwrite(safe.data(), 1, safe.size(), to);
}

}  // namespace

void complain(std::string_view text) { write(text, stderr); }

void say(std::string_view text) { write(text, stdout); }

Failure taken_by_json(const std::string& option) {
    return {Exit::usage,
            {ErrorCode::invalid_argument,
             "Standard output can't take both --json and " + option + ".",
             "name a file instead of -, or leave --json out",
             {}}};
}

}  // namespace muster::cli
