// override_text.hpp - an override's value as text: what a command line or a caller gives.
#pragma once

#include <string_view>

#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {

/// `text` as a value of `type`, a concrete scalar: a WGSL literal with an optional sign, or true or false.
/// The fault's message goes on after the override's name and type.
ConstResult parse_override(std::string_view text, TypeRef type);

}  // namespace muster::wgsl
