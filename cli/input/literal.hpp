// literal.hpp - numbers as a user writes them: 2.5, -3, 0xff, 1e-3, inf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cli {

/// Parses a number into the 32 bits of `scalar`. WGSL's suffixes f, i and u are allowed if they fit the type.
/// Errors: invalid_argument (not a number, out of range, or a fraction for an integer).
Result<std::uint64_t> parse_number(std::string_view text, Scalar scalar);

/// The shortest text that reads back as the same number.
std::string format_number(std::uint64_t bits, Scalar scalar);

}  // namespace muster::cli
