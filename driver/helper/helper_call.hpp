// helper_call.hpp - calls a function of a library in another process, so that a crash or hang
// doesn't affect this one.
//
//     // in the library: extern "C" void work(const char* request, std::size_t bytes, HelperAnswer answer);
//     auto answer = call_in_helper({.file = "/usr/lib/libwork.so", .function = "work", .what = "The worker"}, "request");
//
// The process is muster-probe, which opens the library, calls the function and writes its answer. If
// it fails in any way, call_in_helper() returns an error. Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <muster/driver/support/work_limit.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

using HelperAnswer = void (*)(const char* text, std::size_t bytes);
/// The type of the called function, which must call `answer` once before it returns.
using HelperFunction = void (*)(const char* request, std::size_t bytes, HelperAnswer answer);

struct HelperCall {
    std::string file;      // a path, or a name that the system's loader finds
    std::string function;  // its C name
    std::string what;      // the subject of error messages: "The CPU backend's compiler"
    WorkLimit limit;
};

/// Calls the function and returns its answer. Errors: unavailable (no helper, or it can't open the library),
/// out_of_memory, compile_timed_out, compile_failed (the process crashed or exited).
Result<std::string> call_in_helper(const HelperCall& call, std::string_view request);

/// The first argument of muster-probe for such a call, before the file and the function.
inline constexpr const char* helper_call_option = "--call";

MUSTER_API_END
}  // namespace muster
