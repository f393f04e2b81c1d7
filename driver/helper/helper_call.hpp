// helper_call.hpp - calls a function of a library in a process of its own, so that what hurts it hurts nobody else.
//
//     // in the library: extern "C" void work(const char* request, std::size_t bytes, HelperAnswer answer);
//     auto answer = call_in_helper({.file = "/usr/lib/libwork.so", .function = "work", .what = "The worker"}, "request");
//
// The process is muster-probe (helper_process.hpp), which opens the library, calls the function and writes its answer. Whatever
// becomes of it is an error here. Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <muster/driver/support/deadline.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

using HelperAnswer = void (*)(const char* text, std::size_t bytes);
/// The function that is called. It gives its answer once, before it returns.
using HelperFunction = void (*)(const char* request, std::size_t bytes, HelperAnswer answer);

struct HelperCall {
    std::string file;      // a path, or a name that the system's loader finds
    std::string function;  // its C name
    std::string what;      // for errors, at the begin of a sentence: "The CPU backend's compiler"
    Moment deadline = Moment::max();
};

/// The function's answer. Errors: unavailable (no helper, or it doesn't open the library), out_of_memory, compile_timed_out,
/// compile_failed (the process crashed).
Result<std::string> call_in_helper(const HelperCall& call, std::string_view request);

/// The first argument of muster-probe that asks for this, before the file and the function.
inline constexpr const char* helper_call_option = "--call";

}  // namespace muster
