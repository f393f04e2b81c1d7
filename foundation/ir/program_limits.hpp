// program_limits.hpp - the largest program that muster accepts, whichever front end made it.
//
// validate() and IrBuilder refuse programs over these limits, counted with every function inlined. The WGSL
// front end accepts everything within them, so that each valid program reads back from its printed text. They
// are far above what most devices offer: routing refuses a program that is too large for a device, with that
// device's limit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace muster::limits {

inline constexpr std::uint64_t private_bytes = std::uint64_t{1}
                                               << 20;  // private and function variables together
inline constexpr std::uint64_t workgroup_bytes = std::uint64_t{1} << 24;
inline constexpr std::uint64_t workgroup_invocations = std::uint64_t{1} << 20;
inline constexpr std::uint32_t binding_number = 65'535;  // group and binding each
inline constexpr std::uint64_t type_bytes = UINT32_MAX;  // of any type
inline constexpr std::uint32_t types = 4096;             // distinct arrays, structures and atomics
inline constexpr std::uint32_t composite_depth =
    15;  // of arrays and structures, and what is in the innermost
inline constexpr std::uint32_t structure_members = 1023;
inline constexpr std::uint64_t value_words = 65'536;  // scalars of a constant, and of a composed value
inline constexpr std::uint64_t constant_words =
    1'000'000;  // scalars of all constants together, without zero ones
inline constexpr std::uint32_t case_selectors = UINT16_MAX;  // of one switch, including default
inline constexpr std::size_t nesting = 512;  // blocks inside each other; every walk may recurse this deep

inline constexpr std::uint32_t least_subgroup = 4, most_subgroup = 128;
constexpr bool is_subgroup_size(std::uint64_t size) {
    return std::has_single_bit(size) && size >= least_subgroup && size <= most_subgroup;
}

}  // namespace muster::limits
