// run_case.hpp - runs one case: in a session, or in the interpreter, which defines its results.
//
//     const Outputs expected = TRY(run_interpreted(test, program));
//     const Outputs actual = TRY(run_in(session, test, program));
//     first_difference(*program, expected, actual, false);           // "" if they are the same
#pragma once

#include <chrono>
#include <cstdint>

#include <muster/conformance/case.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::conformance {

struct RunOptions {
    CompileOptions compile = {};
    /// The time for compiling and running together. A run that takes longer is abandoned, which quarantines
    /// its device in this session, and is the error timed_out.
    std::chrono::nanoseconds timeout = std::chrono::hours(1);
};

/// The bindings' contents after the session ran the case. If a binding's type has an alignment
/// above wrapped_alignment, the buffers are over the caller's memory (Session::buffer_over) that
/// has no more than that one.
Result<Outputs> run_in(Session& session, const Case& test, const ValidProgram& program,
                       const RunOptions& options = {});

/// The bindings' contents after the interpreter ran the case: the definition.
Result<Outputs> run_interpreted(const Case& test, const ValidProgram& program, std::uint64_t seed);

struct Interpreted {
    Outputs outputs;
    InterpretReport report;
};
/// Also gives what the interpreter found and how far it came.
Result<Interpreted> run_interpreted(const Case& test, const ValidProgram& program,
                                    const InterpretOptions& options);

}  // namespace muster::conformance
