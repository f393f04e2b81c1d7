#include <muster/foundation/base/result.hpp>

namespace muster {

std::string_view name(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::invalid_program: return "invalid_program";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::limit_exceeded: return "limit_exceeded";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::refused: return "refused";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::compile_failed: return "compile_failed";
        case ErrorCode::compile_timed_out: return "compile_timed_out";
        case ErrorCode::device_lost: return "device_lost";
        case ErrorCode::out_of_memory: return "out_of_memory";
        case ErrorCode::timed_out: return "timed_out";
        case ErrorCode::io_failed: return "io_failed";
        case ErrorCode::internal: return "internal";
    }
    return "unknown";
}

std::string Error::to_string() const {
    std::string text = message;
    for (const std::string& step : context) text += "\n  while " + step;
    if (!fix.empty()) text += "\nFix: " + fix;
    return text;
}

}  // namespace muster
