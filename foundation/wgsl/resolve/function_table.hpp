// function_table.hpp - WGSL's built-in functions of values in one table: a row per overload.
//
//     {"saturate", unary(D::floating), builtins::saturate, [](double x) { return std::clamp(x, 0.0, 1.0); }}
//
// A row says what a call takes and gives, which operation or expansion computes it, and how abstract numbers
// are computed, which the IR doesn't have; without the latter they are converted to concrete ones. Internal
// to the sources of functions.hpp. Threads: the table is constant.
#pragma once

#include <algorithm>
#include <array>
#include <variant>

#include <muster/foundation/wgsl/resolve/functions.hpp>

namespace muster::wgsl {

/// Scalar types that an overload's T may have, abstract ones only if the row computes with them.
enum class Domain : std::uint8_t { boolean, integer, floating, f32, signed_number, number, any };
/// Shapes that an overload's T may have.
enum class ArgumentShape : std::uint8_t { scalar_or_vector, vector, vec3, matrix, square_matrix };
/// A parameter's or result's type, in terms of T.
enum class Slot : std::uint8_t {
    none,
    t,           // T itself
    s,           // T's scalar type
    transposed,  // T with rows and columns exchanged
    tb,          // bool, in T's shape
    b,           // bool
    ti,          // signed integer in T's shape; abstract if T is
    u,           // u32
    i,           // i32
    vec2f,
    vec4f,
    vec4i,
    vec4u,
    frexp,  // result structure of frexp
    modf,   // result structure of modf
};

struct Signature {
    Domain domain;
    ArgumentShape shape;
    std::array<Slot, 4> parameters;
    Slot result;
};

constexpr std::size_t parameter_count(const Signature& signature) {
    return static_cast<std::size_t>(std::ranges::find(signature.parameters, Slot::none) -
                                    signature.parameters.begin());
}

/// The computation of a call: an operation, or an expansion (builtins.hpp), which takes the call's arguments.
/// A pair becomes the members of the result's structure.
using Expansion0 = NodeId (*)(IrBuilder&);
using Expansion1 = NodeId (*)(IrBuilder&, NodeId);
using Expansion2 = NodeId (*)(IrBuilder&, NodeId, NodeId);
using Expansion3 = NodeId (*)(IrBuilder&, NodeId, NodeId, NodeId);
using Expansion4 = NodeId (*)(IrBuilder&, NodeId, NodeId, NodeId, NodeId);
using PairExpansion = std::array<NodeId, 2> (*)(IrBuilder&, NodeId);
using Computation =
    std::variant<Op, Expansion1, Expansion2, Expansion3, Expansion4, PairExpansion, Expansion0>;

/// Computes with abstract numbers: component by component (T is double or std::int64_t), or with all of the
/// arguments. An empty result is an overflow.
using WholeFunction = std::vector<Word> (*)(std::span<const ConstValue>);
template <class T>
using AbstractFunction = std::variant<std::monostate, T (*)(T), T (*)(T, T), T (*)(T, T, T), WholeFunction>;

/// The fault that constant arguments cause; those that aren't constant are null.
using ArgumentCheck = std::optional<ConstFault> (*)(const FunctionCall&, std::span<const ConstValue* const>);

struct Overload {
    std::string_view name;
    Signature signature;
    Computation computation;
    AbstractFunction<double> floats{};  // for an operation of the math group: f32 and f16 constants too
    AbstractFunction<std::int64_t> integers{};
    ArgumentCheck check = nullptr;
};

/// Sorted by name, so that a function's overloads are adjacent.
std::span<const Overload> function_table();

}  // namespace muster::wgsl
