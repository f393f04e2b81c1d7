#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/wgsl/resolve/function_table.hpp>

namespace muster::wgsl {
namespace {

using enum Slot;
using D = Domain;

// WGSL's order of preference; an abstract integer prefers a concrete integer to an abstract float.
constexpr std::array preference{Kind::boolean, Kind::abstract_int, Kind::i32, Kind::u32, Kind::abstract_float,
                                Kind::f32,     Kind::f16,          Kind::i64, Kind::u64, Kind::f64};

bool allows(const Overload& overload, Kind kind) {
    if (kind == Kind::abstract_float && overload.floats.index() == 0) return false;
    if (kind == Kind::abstract_int && overload.integers.index() == 0) return false;
    switch (overload.signature.domain) {
        case D::boolean: return kind == Kind::boolean;
        case D::integer:
            return kind == Kind::i32 || kind == Kind::u32 || kind == Kind::i64 || kind == Kind::u64;
        case D::floating:
            return kind == Kind::abstract_float || kind == Kind::f32 || kind == Kind::f16 ||
                   kind == Kind::f64;
        case D::f32: return kind == Kind::f32;
        case D::signed_number: return kind != Kind::boolean && kind != Kind::u32 && kind != Kind::u64;
        case D::number: return kind != Kind::boolean;
        case D::any: return true;
    }
    return false;
}

std::string_view domain_text(Domain domain) {
    switch (domain) {
        case D::boolean: return "bool";
        case D::integer: return "i32 or u32";
        case D::floating: return "f32 or f16";
        case D::f32: return "f32";
        case D::signed_number: return "i32, f32 or f16";
        case D::number: return "i32, u32, f32 or f16";
        case D::any: return "bool, i32, u32, f32 or f16";
    }
    return "";
}

std::string_view slot_text(Slot slot) {
    switch (slot) {
        case none: return "";
        case t: return "T";
        case s: return "scalar of T";
        case transposed: return "T transposed";
        case tb: return "bool vector as wide as T";
        case b: return "bool";
        case ti: return "i32 as wide as T";
        case u: return "u32";
        case i: return "i32";
        case vec2f: return "vec2<f32>";
        case vec4f: return "vec4<f32>";
        case vec4i: return "vec4<i32>";
        case vec4u: return "vec4<u32>";
        case Slot::frexp:
        case Slot::modf: return "a structure";
    }
    return "";
}

bool fits(ArgumentShape shape, TypeRef type) {
    switch (shape) {
        case ArgumentShape::scalar_or_vector: return type->is_scalar() || type->is_vector();
        case ArgumentShape::vector: return type->is_vector();
        case ArgumentShape::vec3: return type->is_vector() && type->count == 3;
        case ArgumentShape::matrix: return type->is_matrix();
        case ArgumentShape::square_matrix: return type->is_matrix() && type->count == type->rows();
    }
    return false;
}

std::string_view shape_text(ArgumentShape shape) {
    switch (shape) {
        case ArgumentShape::scalar_or_vector: return "scalar or vector";
        case ArgumentShape::vector: return "vector";
        case ArgumentShape::vec3: return "vec3";
        case ArgumentShape::matrix: return "matrix";
        case ArgumentShape::square_matrix: return "square matrix";
    }
    return "";
}

bool mentions_t(const Signature& signature) { return std::ranges::count(signature.parameters, t) != 0; }

TypeRef result_structure(Types& types, TypeRef type, bool is_frexp) {
    const bool abstract = type->is_abstract;
    std::string name = is_frexp ? "__frexp_result_" : "__modf_result_";
    if (type->is_vector()) name += "vec" + std::to_string(type->count) + "_";
    name += abstract ? "abstract" : type->scalar()->name;
    const TypeRef whole = is_frexp ? types.shaped(abstract ? types.abstract_int : types.i32, type) : type;
    return types.hidden_structure(
        name, {{.name = "fract", .type = type}, {.name = is_frexp ? "exp" : "whole", .type = whole}});
}

TypeRef slot_type(Types& types, Slot slot, TypeRef type) {
    switch (slot) {
        case none: return types.nothing;
        case t: return type;
        case s: return type->scalar();
        case transposed: return types.matrix(type->scalar(), type->rows(), type->count);
        case tb: return types.shaped(types.boolean, type);
        case b: return types.boolean;
        case ti: return types.shaped(type->is_abstract ? types.abstract_int : types.i32, type);
        case u: return types.u32;
        case i: return types.i32;
        case vec2f: return types.vector(types.f32, 2);
        case vec4f: return types.vector(types.f32, 4);
        case vec4i: return types.vector(types.i32, 4);
        case vec4u: return types.vector(types.u32, 4);
        case Slot::frexp: return result_structure(types, type, true);
        case Slot::modf: return result_structure(types, type, false);
    }
    return types.nothing;
}

std::optional<FunctionCall> instantiate(Types& types, const Overload& overload, TypeRef type,
                                        std::span<const Argument> arguments) {
    FunctionCall call{&overload, {}, slot_type(types, overload.signature.result, type)};
    for (std::size_t n = 0; n < arguments.size(); ++n) {
        call.parameters.push_back(slot_type(types, overload.signature.parameters[n], type));
        if (!converts(arguments[n].type, call.parameters.back())) return std::nullopt;
    }
    return call;
}

std::optional<FunctionCall> match(Types& types, const Overload& overload,
                                  std::span<const Argument> arguments) {
    const Signature& signature = overload.signature;
    if (parameter_count(signature) != arguments.size()) return std::nullopt;
    if (!mentions_t(signature)) return instantiate(types, overload, types.f32, arguments);
    const TypeRef shape = arguments[0].type;  // T's first use is always the first parameter
    if (!fits(signature.shape, shape)) return std::nullopt;
    const bool all_const = std::ranges::all_of(arguments, &Argument::is_const);
    for (Kind kind : preference) {
        const TypeRef scalar = types.scalar(kind);
        if (!allows(overload, kind) || (scalar->is_abstract && !all_const)) continue;
        if (!converts(shape->scalar(), scalar)) continue;
        if (auto call = instantiate(types, overload, types.shaped(scalar, shape), arguments)) return call;
    }
    return std::nullopt;
}

std::string describe(const Overload& overload) {
    const Signature& signature = overload.signature;
    std::string text = std::string(overload.name) + "(";
    for (std::size_t n = 0; n < parameter_count(signature); ++n) {
        if (n != 0) text += ", ";
        text += slot_text(signature.parameters[n]);
    }
    text += ")";
    if (!mentions_t(signature)) return text;
    return fmt::format("{} where T is {}, {}", text, domain_text(signature.domain),
                       shape_text(signature.shape));
}

}  // namespace

bool is_function(std::string_view name) {
    return std::ranges::binary_search(function_table(), name, {}, &Overload::name);
}

std::vector<std::string_view> function_names() {
    std::vector<std::string_view> names;
    for (const Overload& each : function_table())
        if (names.empty() || names.back() != each.name) names.push_back(each.name);
    return names;
}

std::expected<FunctionCall, ConstFault> choose_overload(Types& types, std::string_view name,
                                                        std::span<const Argument> arguments) {
    const auto candidates = std::ranges::equal_range(function_table(), name, {}, &Overload::name);
    for (const Overload& overload : candidates) {
        if (auto call = match(types, overload, arguments)) return *std::move(call);
    }
    std::string given;
    for (const Argument& argument : arguments) given += (given.empty() ? "" : ", ") + argument.type->name;
    std::string known;
    for (const Overload& overload : candidates) known += (known.empty() ? "" : "; or ") + describe(overload);
    return std::unexpected(
        ConstFault{fmt::format("No overload of {} takes ({}).", name, given), "call " + known + "."});
}

std::optional<ConstFault> check_arguments(const FunctionCall& call,
                                          std::span<const ConstValue* const> arguments) {
    return call.overload->check == nullptr ? std::nullopt : call.overload->check(call, arguments);
}

NodeId emit(IrBuilder& ir, const FunctionCall& call, std::span<const NodeId> a) {
    const Computation& by = call.overload->computation;
    if (const auto* op = std::get_if<Op>(&by)) return builtins::operation(ir, *op, a);
    if (const auto* expand = std::get_if<Expansion0>(&by)) return (*expand)(ir);
    if (const auto* expand = std::get_if<Expansion1>(&by)) return (*expand)(ir, a[0]);
    if (const auto* expand = std::get_if<Expansion2>(&by)) return (*expand)(ir, a[0], a[1]);
    if (const auto* expand = std::get_if<Expansion3>(&by)) return (*expand)(ir, a[0], a[1], a[2]);
    if (const auto* expand = std::get_if<Expansion4>(&by)) return (*expand)(ir, a[0], a[1], a[2], a[3]);
    const std::array<NodeId, 2> members = std::get<PairExpansion>(by)(ir, a[0]);
    return ir.compose(ir_type(ir.types(), call.result), members);
}

}  // namespace muster::wgsl
