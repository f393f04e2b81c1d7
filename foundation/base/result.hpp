// result.hpp - errors as values that tell what happened, during which steps, and how to fix it.
//
// Every fallible public function of muster returns Result<T>. An Error holds a full sentence in the present
// tense with the given value and the limit, the steps during which it arose (innermost first), and the fix:
//
//     Binding 2 ("out") holds 512 bytes, fewer than the 1024 the program writes.
//       while binding arguments of saxpy
//       while dispatching on cuda:0
//     Fix: bind at least 1024 bytes, or dispatch at most 128 invocations.
//
// value() of a result that holds an error throws; the exception's what() is this whole text, so a
// program that doesn't catch it ends by printing it. With -fno-exceptions such a program ends
// silently: check the result first.
//
// Threads: values without shared state. Nothing else here throws, except std::bad_alloc.
#pragma once

// clang-format off
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/cxx23.hpp>  // must come first
// clang-format on

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster {
MUSTER_API_BEGIN

enum class ErrorCode : std::uint8_t {
    invalid_argument,   // a call's arguments are wrong: names, shapes, counts
    invalid_program,    // the program text or IR is wrong
    unsupported,        // nothing here supports this operation, type or format
    limit_exceeded,     // a number exceeds a limit of a device or of programs
    not_found,          // no such backend, binding, entry point or file
    conflict,           // two things claim one name
    refused,            // policy or route forbids it
    unavailable,        // a driver, device or library is missing or doesn't answer its probe
    compile_failed,     // a target compiler rejected the code that muster emitted
    compile_timed_out,  // the compile budget is spent; the compiler may still be running
    device_lost,        // the device is gone; open a new session
    out_of_memory,      // the device or the host has no memory left for this
    timed_out,          // the requested wait ended; the work may still be running
    io_failed,          // a file can't be read, written or understood
    internal,           // a defect in muster
};

/// Returns the enumerator's name, e.g. "device_lost".
std::string_view name(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;               // full sentences, present tense, the given value and the limit
    std::string fix;                   // what to do next, without a leading "Fix:"; may be empty
    std::vector<std::string> context;  // steps under way, innermost first, without a leading "while"

    /// Adds one step to the context: `std::move(error).during("binding arguments of saxpy")`.
    Error&& during(std::string step) && {
        context.push_back(std::move(step));
        return std::move(*this);
    }

    /// Returns the message, one "  while ..." line per step, and "Fix: ..." last; no newline at the end.
    std::string to_string() const;
};

MUSTER_API_END
}  // namespace muster

/// The exception that value() throws if the result holds an error; what() is the whole error text.
template <>
class std::bad_expected_access<muster::Error> : public std::bad_expected_access<void> {
  public:
    explicit bad_expected_access(muster::Error error) : error_(std::move(error)), what_(error_.to_string()) {}
    [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }
    [[nodiscard]] muster::Error& error() & noexcept { return error_; }
    [[nodiscard]] const muster::Error& error() const& noexcept { return error_; }
    [[nodiscard]] muster::Error&& error() && noexcept { return std::move(error_); }
    [[nodiscard]] const muster::Error&& error() const&& noexcept { return std::move(error_); }

  private:
    muster::Error error_;
    std::string what_;
};

namespace muster {
MUSTER_API_BEGIN

template <class T>
using Result = std::expected<T, Error>;

/// `return fail(ErrorCode::not_found, "No backend is called \"cud\".", "did you mean \"cuda\"?");`
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string fix = {}) {
    return std::unexpected(Error{code, std::move(message), std::move(fix), {}});
}

/// Passes a result through; if it holds an error, adds a step to the error's context. `step` is a string, or
/// a function that returns one and is called only for errors, so that a hot path formats nothing.
template <class Step, class T>
Result<T> during(Step&& step, Result<T> result) {
    if (result) return result;
    if constexpr (std::is_invocable_v<Step>) {
        return std::unexpected(std::move(result.error()).during(step()));
    } else {
        return std::unexpected(std::move(result.error()).during(std::forward<Step>(step)));
    }
}

MUSTER_API_END
}  // namespace muster
