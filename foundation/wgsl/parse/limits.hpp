// limits.hpp - limits on parsing and lowering. Limits on programs, at least as large as WGSL's (section
// "Limits"), are in program_limits.hpp.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/program_limits.hpp>

namespace muster::wgsl::limits {

using namespace muster::limits;

inline constexpr std::uint32_t parameters = 255;
/// Most scalars in all composite constants of a text; each of a program's constants counts once per level of
/// its type.
inline constexpr std::uint64_t text_constant_words = composite_depth * constant_words;
inline constexpr std::uint32_t declaration_depth = 250;  // chain of declarations that depend on each other
inline constexpr std::uint32_t inlining_depth = 1'500;   // nested expressions, statements and calls together
/// Most statements and calls, after inlining, per operation that a program may have: a printed program has
/// some statements that aren't operations.
inline constexpr std::uint64_t statements_per_node = 4;

}  // namespace muster::wgsl::limits
