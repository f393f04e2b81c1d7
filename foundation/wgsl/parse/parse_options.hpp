// parse_options.hpp - options for parsing a module: its name, its entry point, its overrides' values.
#pragma once

#include <string>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster::wgsl {
MUSTER_API_BEGIN

/// `text` is a number, true or false in WGSL's syntax ("64", "0x40", "1.5", "-2"), with
/// an optional type suffix.
struct OverrideValue {
    std::string name;  // the override's name, or its @id as a number
    std::string text;
};

struct ParseOptions {
    std::string file = "kernel.wgsl";           // for messages and source locations
    std::string entry = {};                     // empty: the only entry point
    std::vector<OverrideValue> overrides = {};  // each must name an override of the module
    std::vector<std::string> enables =
        {};  // extensions that count as enabled, whether the text enables them or not
};

MUSTER_API_END
}  // namespace muster::wgsl
