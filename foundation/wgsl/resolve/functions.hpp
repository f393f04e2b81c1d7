// functions.hpp - WGSL's built-in functions of values: overloads, evaluation of
// constants, lowering to IR nodes.
//
// function_table.cpp lists them. Functions that access memory or synchronise (atomics, barriers) are resolved
// separately.
//
//     auto call = choose_overload(types, "clamp", arguments);   // overload, parameter types, result type
//     evaluate(*call, constants)                                // at compile time
//     emit(ir, *call, nodes)                                    // at run time
//
// Source: WGSL sections "Bit Reinterpretation Built-in Functions" to "Data Unpacking Built-in Functions".
// Threads: pure except for changes to `types` and `ir`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {

bool is_function(std::string_view name);
/// The functions' names, each once.
std::vector<std::string_view> function_names();

struct Argument {
    TypeRef type;
    bool is_const;  // a const-expression; may stay abstract
};

struct FunctionCall {
    const struct Overload* overload;  // a row of function_table.hpp
    std::vector<TypeRef> parameters;
    TypeRef result;
};

/// Resolves the overload of a call. Precondition: is_function(name). A fault names the arguments' types and
/// lists the overloads.
std::expected<FunctionCall, ConstFault> choose_overload(Types& types, std::string_view name,
                                                        std::span<const Argument> arguments);

/// Evaluates a call of constants, which have been converted to the parameters' types. For exact
/// functions, f32 results have the same bits as at run time; functions such as exp and sin are evaluated
/// in f64 and rounded once.
ConstResult evaluate(const FunctionCall& call, std::span<const ConstValue> arguments);

/// The fault that the constant arguments of a call cause, such as clamp's low being greater than its high.
/// Arguments that aren't constant are null.
std::optional<ConstFault> check_arguments(const FunctionCall& call,
                                          std::span<const ConstValue* const> arguments);

/// Emits the call's nodes. frexp and modf yield a compose node.
NodeId emit(IrBuilder& ir, const FunctionCall& call, std::span<const NodeId> arguments);

}  // namespace muster::wgsl
