// lower.hpp - lowers a ValidProgram to a language of C's family: control flow is mapped one to one,
// names and lines are kept.
//
// Pure: the same program, request and answers of the dialect give the same text. Accepts all operations of
// OpSet::all_exact() and the math group, and those of grid_barrier.hpp if the dialect writes grid barriers.
// In exact mode, operations of the math group become functions in the text. The text is exact if the
// compiler neither contracts nor reassociates, and computes f32 division, square roots and fma as the
// target promised. Threads: any.
#pragma once

#include <string>
#include <vector>

#include <muster/driver/c_text/dialect.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::c_text {
MUSTER_API_BEGIN

struct Request {
    CompileOptions options = {};  // precision and unchecked count
    bool debug = true;            // #line directives
    std::string entry_name = {};  // the kernel's name; empty: the program's entry point, made a legal name
};

struct Text {
    std::string text;
    std::string entry;                  // the kernel's name
    std::vector<DebugEntry> debug_map;  // target: line of the text, counted from 1; ascending
};

Text lower(const ValidProgram& program, Dialect& dialect, const Request& request);

/// The artifact of a text, but for its format and target.
Artifact make_artifact(const ValidProgram& program, const CompileOptions& options, Text text);

MUSTER_API_END
}  // namespace muster::c_text
