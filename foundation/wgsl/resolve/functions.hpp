// functions.hpp - WGSL's built-in functions of values: overloads, evaluation of constants, lowering to IR nodes.
//
// Functions that access memory or synchronise (atomics, barriers) are resolved separately.
//
//     auto call = choose_overload(types, "clamp", arguments);   // function, parameter types, result type
//     evaluate(*call, constants)                                // at compile time
//     emit(ir, *call, nodes)                                    // at run time
//
// Source: WGSL sections "Bit Reinterpretation Built-in Functions" to "Data Unpacking Built-in Functions".
// Threads: the table is constant; the functions are pure except for changes to `types` and `ir`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {

// clang-format off
enum class Function : std::uint8_t {
    abs, acos, acosh, all, any, asin, asinh, atan, atan2, atanh, ceil, clamp, cos, cosh, countLeadingZeros,
    countOneBits, countTrailingZeros, cross, degrees, distance, dot, dot4I8Packed, dot4U8Packed, exp, exp2,
    extractBits, faceForward, firstLeadingBit, firstTrailingBit, floor, fma, fract, frexp, insertBits, inverseSqrt,
    ldexp, length, log, log2, max, min, mix, modf, normalize, pack2x16float, pack2x16snorm, pack2x16unorm, pack4x8snorm,
    pack4x8unorm, pack4xI8, pack4xI8Clamp, pack4xU8, pack4xU8Clamp, pow, quantizeToF16, radians, reflect, refract,
    reverseBits, round, saturate, select, sign, sin, sinh, smoothstep, sqrt, step, tan, tanh, trunc, unpack2x16float,
    unpack2x16snorm, unpack2x16unorm, unpack4x8snorm, unpack4x8unorm, unpack4xI8, unpack4xU8,
};
// clang-format on

/// Scalar types that an overload's T may have.
enum class Domain : std::uint8_t { boolean, integer, floating, f32_only, signed_number, number, any };
/// Shapes that an overload's T may have.
enum class ArgumentShape : std::uint8_t { scalar_or_vector, vector, vec3 };
/// A parameter's or result's type, in terms of T.
enum class Slot : std::uint8_t {
    none,
    t,   // T itself
    s,   // T's scalar type
    tb,  // bool, in T's shape
    b,   // bool
    ti,  // signed integer in T's shape; abstract if T is
    u,   // u32
    i,   // i32
    vec2f,
    vec4f,
    vec4i,
    vec4u,
    frexp,  // result structure of frexp
    modf,   // result structure of modf
};

struct Overload {
    Function function;
    std::string_view name;
    Domain domain;
    ArgumentShape shape;
    std::array<Slot, 4> parameters;
    Slot result;
};

std::span<const Overload> overload_table();
bool is_function(std::string_view name);

struct Argument {
    TypeRef type;
    bool is_const;  // a const-expression; may stay abstract
};

struct FunctionCall {
    Function function;
    std::string_view name;
    std::vector<TypeRef> parameters;
    TypeRef result;
};

/// Resolves the overload of a call. Precondition: is_function(name). A fault names the arguments' types and
/// lists the overloads.
std::expected<FunctionCall, ConstFault> choose_overload(Types& types, std::string_view name,
                                                        std::span<const Argument> arguments);

/// Evaluates a call of constants, which have been converted to the parameters' types. For exact functions, f32
/// results have the same bits as at run time; functions such as exp and sin are evaluated in f64 and rounded
/// once.
ConstResult evaluate(const FunctionCall& call, std::span<const ConstValue> arguments);

/// The fault that the constant arguments of a call cause, such as clamp's low being greater than its high.
/// Arguments that aren't constant are null.
std::optional<ConstFault> check_arguments(Function function, std::span<const ConstValue* const> arguments);

/// Emits the call's nodes. frexp and modf yield a compose node.
NodeId emit(IrBuilder& ir, const FunctionCall& call, std::span<const NodeId> arguments);

}  // namespace muster::wgsl
