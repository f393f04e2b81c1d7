// text_faults.hpp - messages for faults below the grammar: bytes, characters, tokens. Internal to the parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>
#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

/// Returns a fault of the text as a whole, if any: too long, a byte order mark, not UTF-8, a null character.
std::optional<Diagnostic> text_fault(std::string_view text, std::uint32_t file_index);

/// The fault of an invalid or reserved token; the caller sets the location.
Diagnostic token_fault(const Token& token, std::string_view spelled);

/// The fault of a number that has one; the caller sets the location.
Diagnostic number_fault(const Number& number, std::string_view spelled);

/// The text in single quotes, shortened if it is long.
std::string quoted(std::string_view text);

}  // namespace muster::wgsl
