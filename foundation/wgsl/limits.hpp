// limits.hpp - how large a program may be: WGSL's section "Limits", where it names a number, and what keeps
// every later step within bounds. What a device itself can't hold is refused by routing, with that device's
// number.
#pragma once

#include <cstdint>

namespace muster::wgsl::limits {

inline constexpr std::uint32_t structure_members = 1023;
inline constexpr std::uint32_t composite_depth = 15;
inline constexpr std::uint32_t parameters = 255;
inline constexpr std::uint32_t case_selectors = 1023;
inline constexpr std::uint32_t array_constructor_elements = 2047;
inline constexpr std::uint64_t function_bytes = 8192;  // variables of one function
inline constexpr std::uint64_t private_bytes = 8192;   // private variables that a program uses
inline constexpr std::uint64_t workgroup_bytes =
    262144;  // WGSL asks for 16384; large GPUs have up to 228 KiB
inline constexpr std::uint32_t workgroup_invocations = 1024;
inline constexpr std::uint64_t type_bytes = UINT32_MAX;     // of any type
inline constexpr std::uint32_t types = 4096;                // different ones in a module
inline constexpr std::uint64_t constant_words = 8'000'000;  // scalars in all composite constants
inline constexpr std::uint32_t declaration_depth = 250;     // declarations that need each other, in a chain
inline constexpr std::uint32_t inlining_depth = 1'500;  // nested expressions, statements and calls together
inline constexpr std::uint32_t binding_number = 65535;

}  // namespace muster::wgsl::limits
