// names.hpp - suggests what a name that means nothing was meant to be. Internal to foundation/wgsl/resolve/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::wgsl {

/// WGSL's name for what other languages call `name`, as mix for lerp; a sentence's end, as in
/// "write mix: ...", or empty.
std::string_view in_wgsl(std::string_view name);

/// "did you mean length?", or `otherwise` if no name is near.
std::string nearest_fix(std::string_view name, std::span<const std::string> names, std::string otherwise);

/// WGSL's functions that the table of values doesn't have, and its types.
std::span<const std::string_view> other_functions();
std::span<const std::string_view> predeclared_types();

}  // namespace muster::wgsl
