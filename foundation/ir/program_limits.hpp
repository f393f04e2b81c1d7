// program_limits.hpp - how large a program may be, whichever front end made it.
//
// validate() and IrBuilder refuse what is over these limits, counted on the program, where every function is inlined.
// The WGSL front end takes whatever is within them, so that each valid program reads back from its printed text. They
// are far over what most devices offer: what a device can't hold is refused by routing, with that device's number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::limits {

inline constexpr std::uint64_t private_bytes = std::uint64_t{1}
                                               << 20;  // private and function variables together
inline constexpr std::uint64_t workgroup_bytes = std::uint64_t{1} << 24;
inline constexpr std::uint64_t workgroup_invocations = std::uint64_t{1} << 20;
inline constexpr std::uint32_t binding_number = 65'535;  // group and binding each
inline constexpr std::uint64_t type_bytes = UINT32_MAX;  // of any type
inline constexpr std::uint32_t types = 4096;             // arrays, structures and atomics
inline constexpr std::uint32_t composite_depth =
    15;  // of arrays and structures, and what is in the innermost
inline constexpr std::uint32_t structure_members = 1023;
inline constexpr std::uint64_t value_words = 65'536;  // scalars of a constant, and of a composed value
inline constexpr std::uint64_t constant_words =
    1'000'000;  // scalars of all constants together, without zero ones
inline constexpr std::uint32_t case_selectors = UINT16_MAX;  // of one switch, default counted
inline constexpr std::size_t nesting = 512;  // blocks inside each other; every walk may recurse

}  // namespace muster::limits
