// packing.hpp - WGSL's data packing and unpacking functions, in snake case, on device values:
// functions.def lists them.
// Source: WGSL sections "Data Packing Built-in Functions" and "Data Unpacking Built-in Functions".
#pragma once

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/lang/value.hpp>

namespace muster::lang {

namespace detail::fixed {  // functions.def's names of types
using u = u32;
using vec2f = vec2<f32>;
using vec4f = vec4<f32>;
using vec4i = vec4<i32>;
using vec4u = vec4<u32>;
}  // namespace detail::fixed

#define MUSTER_FIXED(wgsl, name, parameter, result, ...)                                           \
    inline Value<detail::fixed::result> name(const detail::Operand<detail::fixed::parameter>& e) { \
        return detail::built_in<detail::fixed::result, builtins::name>(e);                         \
    }
#include <muster/foundation/build/functions.def>

inline Value<u32> dot4_u8_packed(const detail::Operand<u32>& a, const detail::Operand<u32>& b) {
    return detail::built_in<u32, builtins::dot4_u8_packed>(a, b);
}
inline Value<i32> dot4_i8_packed(const detail::Operand<u32>& a, const detail::Operand<u32>& b) {
    return detail::built_in<i32, builtins::dot4_i8_packed>(a, b);
}

}  // namespace muster::lang
