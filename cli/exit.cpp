#include <cstdio>

#include <muster/cli/exit.hpp>

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

void complain(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

Failure taken_by_json(const std::string& option) {
    return {Exit::usage,
            {ErrorCode::invalid_argument,
             "Standard output can't take both --json and " + option + ".",
             "name a file instead of -, or leave --json out",
             {}}};
}

}  // namespace muster::cli
