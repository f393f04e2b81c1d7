// unproven.hpp - parses a text whose control flow may not be proven uniform, to report on it. Internal to
// foundation and the tool.
#pragma once

#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/non_uniform.hpp>
#include <muster/foundation/wgsl/parse/parse_options.hpp>

namespace muster::wgsl {
MUSTER_API_BEGIN

struct UnprovenProgram {
    Program program;
    std::vector<NonUniform> faults;  // those for which parse() refuses the text
};
/// As parse(), of a text that may have faults of this one kind. Errors: as parse().
Result<UnprovenProgram> parse_unproven(std::string_view text, const ParseOptions& options = {});

MUSTER_API_END
}  // namespace muster::wgsl
