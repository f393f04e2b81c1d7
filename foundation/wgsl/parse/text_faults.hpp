// text_faults.hpp - sentences for what is wrong below the grammar: bytes, characters, tokens. Internal to the
// parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>
#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

/// Why a text as a whole can't be read: too long, a byte order mark, not UTF-8, a null character.
std::optional<Diagnostic> text_fault(std::string_view text, std::uint32_t file_index);

/// Of an invalid or reserved token; the location is the caller's.
Diagnostic token_fault(const Token& token, std::string_view spelled);

/// Of a number with a fault.
Diagnostic number_fault(const Number& number, std::string_view spelled);

/// The text in single quotes, cut where it is long.
std::string quoted(std::string_view text);

}  // namespace muster::wgsl
