// packing.hpp - WGSL's data packing and unpacking functions, in snake case, on device values.
// Source: WGSL sections "Data Packing Built-in Functions" and "Data Unpacking Built-in Functions".
#pragma once

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/lang/value.hpp>

namespace muster::lang {

inline Value<u32> pack4x8_snorm(const detail::Operand<vec4<f32>>& e) {
    return detail::built_in<u32, builtins::pack4x8_snorm>(e);
}
inline Value<u32> pack4x8_unorm(const detail::Operand<vec4<f32>>& e) {
    return detail::built_in<u32, builtins::pack4x8_unorm>(e);
}
inline Value<u32> pack2x16_snorm(const detail::Operand<vec2<f32>>& e) {
    return detail::built_in<u32, builtins::pack2x16_snorm>(e);
}
inline Value<u32> pack2x16_unorm(const detail::Operand<vec2<f32>>& e) {
    return detail::built_in<u32, builtins::pack2x16_unorm>(e);
}
inline Value<u32> pack2x16_float(const detail::Operand<vec2<f32>>& e) {
    return detail::built_in<u32, builtins::pack2x16_float>(e);
}
inline Value<u32> pack4x_i8(const detail::Operand<vec4<i32>>& e) {
    return detail::built_in<u32, builtins::pack4x_i8>(e);
}
inline Value<u32> pack4x_u8(const detail::Operand<vec4<u32>>& e) {
    return detail::built_in<u32, builtins::pack4x_u8>(e);
}
inline Value<u32> pack4x_i8_clamp(const detail::Operand<vec4<i32>>& e) {
    return detail::built_in<u32, builtins::pack4x_i8_clamp>(e);
}
inline Value<u32> pack4x_u8_clamp(const detail::Operand<vec4<u32>>& e) {
    return detail::built_in<u32, builtins::pack4x_u8_clamp>(e);
}
inline Value<vec4<f32>> unpack4x8_snorm(const detail::Operand<u32>& e) {
    return detail::built_in<vec4<f32>, builtins::unpack4x8_snorm>(e);
}
inline Value<vec4<f32>> unpack4x8_unorm(const detail::Operand<u32>& e) {
    return detail::built_in<vec4<f32>, builtins::unpack4x8_unorm>(e);
}
inline Value<vec2<f32>> unpack2x16_snorm(const detail::Operand<u32>& e) {
    return detail::built_in<vec2<f32>, builtins::unpack2x16_snorm>(e);
}
inline Value<vec2<f32>> unpack2x16_unorm(const detail::Operand<u32>& e) {
    return detail::built_in<vec2<f32>, builtins::unpack2x16_unorm>(e);
}
inline Value<vec2<f32>> unpack2x16_float(const detail::Operand<u32>& e) {
    return detail::built_in<vec2<f32>, builtins::unpack2x16_float>(e);
}
inline Value<vec4<i32>> unpack4x_i8(const detail::Operand<u32>& e) {
    return detail::built_in<vec4<i32>, builtins::unpack4x_i8>(e);
}
inline Value<vec4<u32>> unpack4x_u8(const detail::Operand<u32>& e) {
    return detail::built_in<vec4<u32>, builtins::unpack4x_u8>(e);
}
inline Value<u32> dot4_u8_packed(const detail::Operand<u32>& a, const detail::Operand<u32>& b) {
    return detail::built_in<u32, builtins::dot4_u8_packed>(a, b);
}
inline Value<i32> dot4_i8_packed(const detail::Operand<u32>& a, const detail::Operand<u32>& b) {
    return detail::built_in<i32, builtins::dot4_i8_packed>(a, b);
}

}  // namespace muster::lang
