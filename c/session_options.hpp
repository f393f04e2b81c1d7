// session_options.hpp - policies, compile options and emissions, from the caller's structures. Threads: pure.
#pragma once

#include <span>

#include <muster/c/answer.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::c {

/// Errors: not_found (an option), invalid_argument (a value, a null pointer). `precision` gets the value of
/// that option, if it is given; null: it is no option.
Answer<Policy> read_policy(const muster_option* options, std::size_t count, Precision* precision);

/// Errors: invalid_argument.
Answer<CompileOptions> read_compile_options(const muster_compile_options* given, Precision unless_said);
Answer<EmitOptions> read_emit_options(const muster_emit_options& options, Precision unless_said);

/// A time of the caller's; 0: `unless_said`.
std::chrono::nanoseconds time_of(std::uint64_t ns, std::chrono::nanoseconds unless_said);
/// A time-out of the caller's, where 0 is none.
std::chrono::nanoseconds timeout_of(std::uint64_t ns);

/// Errors: invalid_argument, for flags that aren't known.
Answer<void> check_flags(std::uint32_t flags, std::uint32_t known, std::string_view what);

}  // namespace muster::c
