// builtins.hpp - built-in functions that devices define differently, expanded once into exact operations in a
// fixed order (docs/design.md, Numeric contract). The WGSL front end and the C++ builder both use them, so a
// backend never sees them.
//
//     NodeId n = builtins::normalize(ir, v);   // scale, dot, sqrt, divide: the same bits everywhere
//
// Each function appends nodes to the open block of `ir` and returns the result's node. Operands have the
// types that WGSL's section "Numeric Built-in Functions" requires; vectors work componentwise unless stated
// otherwise. Scalars are not splat, except for parameters documented as scalars. NaN propagates unless stated
// otherwise. min and max are operations of their own (if one operand is NaN they yield the other; -0 < +0).
//
// Functions of f16 are those of f32, with the result rounded once; clamp, saturate, sign and step are exact.
//
// Subnormals: if inputs and results are normal, results of the functions marked [flush-proof] don't depend on
// whether the device flushes subnormals. Threads: as IrBuilder. Memory: only the nodes.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster::builtins {
MUSTER_API_BEGIN

/// An operation that is a function: one on numbers, select, fma, all or any, also of one bool, or one of
/// subgroups.
NodeId operation(IrBuilder& ir, Op op, std::span<const NodeId> operands);

// Any number.
/// min(max(e, low), high) for integers and floats. A NaN `e` gives `low`. [flush-proof]
NodeId clamp(IrBuilder& ir, NodeId e, NodeId low, NodeId high);
/// clamp(e, 0, 1).
NodeId saturate(IrBuilder& ir, NodeId e);
/// 1 if e > 0, -1 if e < 0, else +0 (also for NaN and -0); signed numbers.
NodeId sign(IrBuilder& ir, NodeId e);
/// ((a0*b0 + a1*b1) + a2*b2) + a3*b3 for two vectors; integers wrap. Yields a scalar.
NodeId dot(IrBuilder& ir, NodeId a, NodeId b);

// Floats.
/// 1 if edge <= x, else 0.
NodeId step(IrBuilder& ir, NodeId edge, NodeId x);
/// a*(1 - t) + b*t. `t` may be a scalar even if a and b are vectors.
NodeId mix(IrBuilder& ir, NodeId a, NodeId b, NodeId t);
/// t = clamp((x - edge0)/(edge1 - edge0), 0, 1); (t*t)*(3 - 2*t). Equal edges give 0 or 1 by the sign of x -
/// edge0, and 0 at the edge itself.
NodeId smoothstep(IrBuilder& ir, NodeId edge0, NodeId edge1, NodeId x);
/// e - floor(e): in [0, 1], and 1 for tiny negative e.
NodeId fract(IrBuilder& ir, NodeId e);
NodeId degrees(IrBuilder& ir, NodeId e);  // e * 57.29578, one rounding
NodeId radians(IrBuilder& ir, NodeId e);  // e * 0.017453292, one rounding
/// (a1*b2 - a2*b1, a2*b0 - a0*b2, a0*b1 - a1*b0) for two vec3.
NodeId cross(IrBuilder& ir, NodeId a, NodeId b);
/// sqrt(dot(e, e)); abs(e) for a scalar. A vector whose largest component exceeds 2^62 or is below 2^-40 is
/// first scaled by a power of two, which is exact: nothing overflows unless the length itself does.
/// [flush-proof]
NodeId length(IrBuilder& ir, NodeId e);
/// length(a - b).
NodeId distance(IrBuilder& ir, NodeId a, NodeId b);
/// e / length(e), scaled as length() does; the zero vector gives NaN. [flush-proof]
NodeId normalize(IrBuilder& ir, NodeId e);
/// e if dot(incident, reference) < 0, else -e.
NodeId face_forward(IrBuilder& ir, NodeId e, NodeId incident, NodeId reference);
/// e - (2*dot(normal, e))*normal.
NodeId reflect(IrBuilder& ir, NodeId e, NodeId normal);
/// d = dot(normal, e); k = 1 - (eta*eta)*(1 - d*d); zero if k < 0, else eta*e - (eta*d +
/// sqrt(k))*normal. `eta` is a scalar.
NodeId refract(IrBuilder& ir, NodeId e, NodeId normal, NodeId eta);

struct Frexp {
    NodeId fract;  // a float in [0.5, 1) or (-1, -0.5]
    NodeId exp;    // i32
};
/// e = fract * 2^exp. Zero and subnormals give (zero of e's sign, 0); infinities and NaN give (e, 0).
/// [flush-proof]
Frexp frexp(IrBuilder& ir, NodeId e);
struct Modf {
    NodeId fract, whole;
};
/// whole = trunc(e), fract = e - whole.
Modf modf(IrBuilder& ir, NodeId e);
/// e * 2^exponent (i32), exact. A result below the normal range is zero, one above it is infinite, both with
/// e's sign; a subnormal e counts as zero. [flush-proof]
NodeId ldexp(IrBuilder& ir, NodeId e, NodeId exponent);
/// Rounds to binary16 (ties to even) and converts back; above binary16's range the result is infinite.
/// [flush-proof]
NodeId quantize_to_f16(IrBuilder& ir, NodeId e);

// Matrices: arrays of vectors, which are the columns. m0 is column 0 of m.
NodeId add_matrices(IrBuilder& ir, NodeId a, NodeId b);
NodeId subtract_matrices(IrBuilder& ir, NodeId a, NodeId b);
NodeId scale_matrix(IrBuilder& ir, NodeId m, NodeId factor);  // each column times the scalar
/// ((m0*v.x + m1*v.y) + m2*v.z) + m3*v.w, for as many columns as there are.
NodeId matrix_times_vector(IrBuilder& ir, NodeId m, NodeId v);
/// Component i is dot(v, mi).
NodeId vector_times_matrix(IrBuilder& ir, NodeId v, NodeId m);
/// Column i is matrix_times_vector(a, bi).
NodeId matrix_times_matrix(IrBuilder& ir, NodeId a, NodeId b);
NodeId transpose(IrBuilder& ir, NodeId m);
/// Each component converted to `to`, a float.
NodeId convert_matrix(IrBuilder& ir, Scalar to, NodeId m);
/// m0.x*m1.y - m0.y*m1.x, or dot(m0, cross(m1, m2)), or with p(a, b) = a.xxx*b.yzw - a.yzw*b.xxx and q(a, b)
/// = cross(a.yzw, b.yzw): dot(p(m0, m1), q(m2, m3)) + dot(q(m0, m1), p(m2, m3)). Yields a scalar.
NodeId determinant(IrBuilder& ir, NodeId m);

/// The value of a place in workgroup memory, or of an atomic there, loaded between two workgroup barriers. It
/// is uniform over the workgroup if the place is (uniformity.hpp).
NodeId workgroup_uniform_load(IrBuilder& ir, NodeId place);

// Bits.
/// Bits [o, o+c) of e, sign-extended for i32: o = min(offset, 32), c = min(count, 32 - o); 0 if c is 0.
/// offset and count are u32 scalars.
NodeId extract_bits(IrBuilder& ir, NodeId e, NodeId offset, NodeId count);
/// e with bits [o, o+c) taken from the low bits of `bits`; o and c as above.
NodeId insert_bits(IrBuilder& ir, NodeId e, NodeId bits, NodeId offset, NodeId count);
/// Position of the highest set bit (i32: of the highest bit that differs from the sign); -1 if there is none.
NodeId first_leading_bit(IrBuilder& ir, NodeId e);
/// Position of the lowest set bit; -1 if there is none.
NodeId first_trailing_bit(IrBuilder& ir, NodeId e);
NodeId dot4_u8_packed(IrBuilder& ir, NodeId a, NodeId b);  // u32, u32 -> u32
NodeId dot4_i8_packed(IrBuilder& ir, NodeId a, NodeId b);  // u32, u32 -> i32

// Subgroups: what has no operation of its own (docs/ir.md, Subgroups).
NodeId subgroup_all(IrBuilder& ir, NodeId e);  // bool -> bool: no active invocation has false
NodeId subgroup_any(IrBuilder& ir, NodeId e);  // bool -> bool
NodeId subgroup_elect(IrBuilder& ir);          // true in the first active invocation
/// The value of invocation `id` (i32 or u32, below 4) of the quad: four invocations
/// from a multiple of four on.
NodeId quad_broadcast(IrBuilder& ir, NodeId e, NodeId id);
/// The value of the quad's invocation whose number is this one's xor `mask`: 1 along x, 2 along y, 3 both.
NodeId quad_swap(IrBuilder& ir, NodeId e, std::uint32_t mask);

// Packing: vectors to one u32 and back; component 0 is in the lowest bits.
NodeId pack4x8_snorm(IrBuilder& ir, NodeId e);     // vec4<f32>: floor(0.5 + 127*clamp(e, -1, 1))
NodeId pack4x8_unorm(IrBuilder& ir, NodeId e);     // vec4<f32>: floor(0.5 + 255*clamp(e, 0, 1))
NodeId pack2x16_snorm(IrBuilder& ir, NodeId e);    // vec2<f32>: floor(0.5 + 32767*clamp(e, -1, 1))
NodeId pack2x16_unorm(IrBuilder& ir, NodeId e);    // vec2<f32>: floor(0.5 + 65535*clamp(e, 0, 1))
NodeId pack2x16_float(IrBuilder& ir, NodeId e);    // vec2<f32>: to binary16, ties to even, NaN as 0x7e00
NodeId pack4x_i8(IrBuilder& ir, NodeId e);         // vec4<i32>: the low 8 bits
NodeId pack4x_u8(IrBuilder& ir, NodeId e);         // vec4<u32>: the low 8 bits
NodeId pack4x_i8_clamp(IrBuilder& ir, NodeId e);   // vec4<i32>: clamped to [-128, 127]
NodeId pack4x_u8_clamp(IrBuilder& ir, NodeId e);   // vec4<u32>: clamped to [0, 255]
NodeId unpack4x8_snorm(IrBuilder& ir, NodeId e);   // -> vec4<f32>: max(v / 127, -1)
NodeId unpack4x8_unorm(IrBuilder& ir, NodeId e);   // -> vec4<f32>: v / 255
NodeId unpack2x16_snorm(IrBuilder& ir, NodeId e);  // -> vec2<f32>: max(v / 32767, -1)
NodeId unpack2x16_unorm(IrBuilder& ir, NodeId e);  // -> vec2<f32>: v / 65535
NodeId unpack2x16_float(IrBuilder& ir, NodeId e);  // -> vec2<f32>: exact
NodeId unpack4x_i8(IrBuilder& ir, NodeId e);       // -> vec4<i32>
NodeId unpack4x_u8(IrBuilder& ir, NodeId e);       // -> vec4<u32>

MUSTER_API_END
}  // namespace muster::builtins
