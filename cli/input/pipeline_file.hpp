// pipeline_file.hpp - the file of `muster pipeline`: buffers, and steps that share them.
//
//     { "buffers": {"keys": "random:u32:9000:1", "counts": "zeros:u32:576", "sorted": "like:keys"},
//       "steps": [
//         {"repeat": 4, "steps": [
//           {"fill": "counts", "word": 0},
//           {"run": "radix.wgsl", "entry": "count", "values": {"shift": ["0", "8", "16", "24"]}, "workgroups": [36]},
//           {"run": "radix.wgsl", "entry": "scatter", "bind": {"sorted_keys": "sorted"}, "invocations": [9000]},
//           {"copy": "sorted", "to": "keys"}]}]}
//
// A binding without an entry in "bind" or "values" is bound to the buffer of its name. A list of values has
// one for each turn of the loop around it. docs/tool.md is the user's manual.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <muster/cli/input/spec.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cli {

/// Runs a kernel.
struct RunStep {
    std::string path;  // as in the file, relative to the file's folder
    std::string entry;
    std::vector<std::string> overrides;  // NAME=VALUE
    NamedTexts bind;                     // binding, buffer
    std::vector<std::pair<std::string, std::vector<std::string>>>
        values;  // binding, a SPEC or one for each turn
    std::array<std::uint64_t, 3> grid{1, 1, 1};
    bool in_invocations = false;
};
struct CopyStep {
    std::string from, to;  // buffers
};
struct FillStep {
    std::string buffer;
    std::uint32_t word = 0;
};
struct PipelineStep;
struct RepeatStep {
    std::uint32_t times = 1;
    std::vector<PipelineStep> steps;
};
struct PipelineStep {
    std::string place;  // "steps[0].steps[2]", for errors
    std::variant<RunStep, CopyStep, FillStep, RepeatStep> what;
};

struct Pipeline {
    NamedTexts buffers;  // name, SPEC
    std::vector<PipelineStep> steps;
};

/// Errors: invalid_argument; the message names the place: "steps[1].grid".
Result<Pipeline> parse_pipeline(std::string_view text);

}  // namespace muster::cli
