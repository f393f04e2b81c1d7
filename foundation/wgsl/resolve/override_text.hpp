// override_text.hpp - parses an override's value, given as text by a command line or another caller.
#pragma once

#include <string_view>

#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {

/// Parses `text` as a value of `type`, a concrete scalar: a WGSL literal with an optional sign, or true or
/// false. The fault's message continues a sentence that begins with the override's name and type.
ConstResult parse_override(std::string_view text, TypeRef type);

}  // namespace muster::wgsl
