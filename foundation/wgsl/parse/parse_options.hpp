// parse_options.hpp - the caller's choices for parsing a module: its name, its entry point, values of its overrides.
#pragma once

#include <string>
#include <vector>

namespace muster::wgsl {

/// `text` is a number or true or false, as WGSL writes it ("64", "0x40", "1.5", "-2"); a type's suffix may
/// follow.
struct OverrideValue {
    std::string name;  // the override's, or the number of its @id
    std::string text;
};

struct ParseOptions {
    std::string file = "kernel.wgsl";           // for messages and source locations
    std::string entry = {};                     // empty: the only entry point
    std::vector<OverrideValue> overrides = {};  // each must name one of the module's
};

}  // namespace muster::wgsl
