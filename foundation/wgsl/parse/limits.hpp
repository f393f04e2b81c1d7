// limits.hpp - what keeps reading a text within bounds. How large the program itself may be is program_limits.hpp's,
// whose numbers are WGSL's (section "Limits") or larger.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/program_limits.hpp>

namespace muster::wgsl::limits {

using namespace muster::limits;

inline constexpr std::uint32_t parameters = 255;
/// Scalars in all composite constants of a text, which has each of a program's once per level of its type.
inline constexpr std::uint64_t text_constant_words = composite_depth * constant_words;
inline constexpr std::uint32_t declaration_depth = 250;  // declarations that need each other, in a chain
inline constexpr std::uint32_t inlining_depth = 1'500;   // nested expressions, statements and calls together
/// Statements and calls, with functions inlined, for each operation that a program may have: a printed program has
/// some that are none.
inline constexpr std::uint64_t statements_per_node = 4;

}  // namespace muster::wgsl::limits
