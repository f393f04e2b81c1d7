#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/functions.hpp>

namespace muster::wgsl {
namespace {

using enum Slot;
using F = Function;
using D = Domain;

constexpr Overload unary(F function, std::string_view name, D domain) {
    return {function, name, domain, ArgumentShape::scalar_or_vector, {t}, t};
}
constexpr Overload binary(F function, std::string_view name, D domain) {
    return {function, name, domain, ArgumentShape::scalar_or_vector, {t, t}, t};
}
constexpr Overload ternary(F function, std::string_view name, D domain) {
    return {function, name, domain, ArgumentShape::scalar_or_vector, {t, t, t}, t};
}
constexpr Overload fixed(F function, std::string_view name, Slot parameter, Slot result) {
    return {function, name, D::number, ArgumentShape::scalar_or_vector, {parameter}, result};
}

// Sorted by name, so that a function's overloads are adjacent.
constexpr std::array table{
    unary(F::abs, "abs", D::number),
    unary(F::acos, "acos", D::floating),
    unary(F::acosh, "acosh", D::floating),
    Overload{F::all, "all", D::boolean, ArgumentShape::scalar_or_vector, {t}, b},
    Overload{F::any, "any", D::boolean, ArgumentShape::scalar_or_vector, {t}, b},
    unary(F::asin, "asin", D::floating),
    unary(F::asinh, "asinh", D::floating),
    unary(F::atan, "atan", D::floating),
    binary(F::atan2, "atan2", D::floating),
    unary(F::atanh, "atanh", D::floating),
    unary(F::ceil, "ceil", D::floating),
    ternary(F::clamp, "clamp", D::number),
    unary(F::cos, "cos", D::floating),
    unary(F::cosh, "cosh", D::floating),
    unary(F::countLeadingZeros, "countLeadingZeros", D::integer),
    unary(F::countOneBits, "countOneBits", D::integer),
    unary(F::countTrailingZeros, "countTrailingZeros", D::integer),
    Overload{F::cross, "cross", D::floating, ArgumentShape::vec3, {t, t}, t},
    unary(F::degrees, "degrees", D::floating),
    Overload{F::distance, "distance", D::floating, ArgumentShape::scalar_or_vector, {t, t}, s},
    Overload{F::dot, "dot", D::number, ArgumentShape::vector, {t, t}, s},
    Overload{F::dot4I8Packed, "dot4I8Packed", D::number, ArgumentShape::scalar_or_vector, {u, u}, i},
    Overload{F::dot4U8Packed, "dot4U8Packed", D::number, ArgumentShape::scalar_or_vector, {u, u}, u},
    unary(F::exp, "exp", D::floating),
    unary(F::exp2, "exp2", D::floating),
    Overload{F::extractBits, "extractBits", D::integer, ArgumentShape::scalar_or_vector, {t, u, u}, t},
    Overload{F::faceForward, "faceForward", D::floating, ArgumentShape::vector, {t, t, t}, t},
    unary(F::firstLeadingBit, "firstLeadingBit", D::integer),
    unary(F::firstTrailingBit, "firstTrailingBit", D::integer),
    unary(F::floor, "floor", D::floating),
    ternary(F::fma, "fma", D::floating),
    unary(F::fract, "fract", D::floating),
    Overload{F::frexp, "frexp", D::floating, ArgumentShape::scalar_or_vector, {t}, frexp},
    Overload{F::insertBits, "insertBits", D::integer, ArgumentShape::scalar_or_vector, {t, t, u, u}, t},
    unary(F::inverseSqrt, "inverseSqrt", D::floating),
    Overload{F::ldexp, "ldexp", D::floating, ArgumentShape::scalar_or_vector, {t, ti}, t},
    Overload{F::length, "length", D::floating, ArgumentShape::scalar_or_vector, {t}, s},
    unary(F::log, "log", D::floating),
    unary(F::log2, "log2", D::floating),
    binary(F::max, "max", D::number),
    binary(F::min, "min", D::number),
    ternary(F::mix, "mix", D::floating),
    Overload{F::mix, "mix", D::floating, ArgumentShape::vector, {t, t, s}, t},
    Overload{F::modf, "modf", D::floating, ArgumentShape::scalar_or_vector, {t}, modf},
    Overload{F::normalize, "normalize", D::floating, ArgumentShape::vector, {t}, t},
    fixed(F::pack2x16float, "pack2x16float", vec2f, u),
    fixed(F::pack2x16snorm, "pack2x16snorm", vec2f, u),
    fixed(F::pack2x16unorm, "pack2x16unorm", vec2f, u),
    fixed(F::pack4x8snorm, "pack4x8snorm", vec4f, u),
    fixed(F::pack4x8unorm, "pack4x8unorm", vec4f, u),
    fixed(F::pack4xI8, "pack4xI8", vec4i, u),
    fixed(F::pack4xI8Clamp, "pack4xI8Clamp", vec4i, u),
    fixed(F::pack4xU8, "pack4xU8", vec4u, u),
    fixed(F::pack4xU8Clamp, "pack4xU8Clamp", vec4u, u),
    binary(F::pow, "pow", D::floating),
    unary(F::quantizeToF16, "quantizeToF16", D::f32_only),
    unary(F::radians, "radians", D::floating),
    Overload{F::reflect, "reflect", D::floating, ArgumentShape::vector, {t, t}, t},
    Overload{F::refract, "refract", D::floating, ArgumentShape::vector, {t, t, s}, t},
    unary(F::reverseBits, "reverseBits", D::integer),
    unary(F::round, "round", D::floating),
    unary(F::saturate, "saturate", D::floating),
    Overload{F::select, "select", D::any, ArgumentShape::scalar_or_vector, {t, t, b}, t},
    Overload{F::select, "select", D::any, ArgumentShape::vector, {t, t, tb}, t},
    unary(F::sign, "sign", D::signed_number),
    unary(F::sin, "sin", D::floating),
    unary(F::sinh, "sinh", D::floating),
    ternary(F::smoothstep, "smoothstep", D::floating),
    unary(F::sqrt, "sqrt", D::floating),
    binary(F::step, "step", D::floating),
    unary(F::tan, "tan", D::floating),
    unary(F::tanh, "tanh", D::floating),
    unary(F::trunc, "trunc", D::floating),
    fixed(F::unpack2x16float, "unpack2x16float", u, vec2f),
    fixed(F::unpack2x16snorm, "unpack2x16snorm", u, vec2f),
    fixed(F::unpack2x16unorm, "unpack2x16unorm", u, vec2f),
    fixed(F::unpack4x8snorm, "unpack4x8snorm", u, vec4f),
    fixed(F::unpack4x8unorm, "unpack4x8unorm", u, vec4f),
    fixed(F::unpack4xI8, "unpack4xI8", u, vec4i),
    fixed(F::unpack4xU8, "unpack4xU8", u, vec4u),
};
static_assert(std::ranges::is_sorted(table, {}, &Overload::name));

// WGSL's order of preference; an abstract integer prefers a concrete integer to an abstract float.
constexpr std::array preference{Kind::boolean, Kind::abstract_int,   Kind::i32,
                                Kind::u32,     Kind::abstract_float, Kind::f32};

bool allows(Domain domain, Kind kind) {
    switch (domain) {
        case D::boolean: return kind == Kind::boolean;
        case D::integer: return kind == Kind::i32 || kind == Kind::u32;
        case D::floating: return kind == Kind::abstract_float || kind == Kind::f32;
        case D::f32_only: return kind == Kind::f32;
        case D::signed_number: return kind != Kind::boolean && kind != Kind::u32;
        case D::number: return kind != Kind::boolean;
        case D::any: return true;
    }
    return false;
}

std::string_view domain_text(Domain domain) {
    switch (domain) {
        case D::boolean: return "bool";
        case D::integer: return "i32 or u32";
        case D::floating:
        case D::f32_only: return "f32";
        case D::signed_number: return "i32 or f32";
        case D::number: return "i32, u32 or f32";
        case D::any: return "bool, i32, u32 or f32";
    }
    return "";
}

std::string_view slot_text(Slot slot) {
    switch (slot) {
        case none: return "";
        case t: return "T";
        case s: return "scalar of T";
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

std::size_t parameter_count(const Overload& overload) {
    return static_cast<std::size_t>(std::ranges::find(overload.parameters, none) -
                                    overload.parameters.begin());
}

bool mentions_t(const Overload& overload) {
    return std::ranges::any_of(overload.parameters, [](Slot slot) { return slot == t; });
}

TypeRef result_structure(Types& types, TypeRef type, bool is_frexp) {
    const bool abstract = type->is_abstract;
    std::string name = is_frexp ? "__frexp_result_" : "__modf_result_";
    if (type->is_vector()) name += "vec" + std::to_string(type->count) + "_";
    name += abstract ? "abstract" : "f32";
    const TypeRef whole = is_frexp ? types.shaped(abstract ? types.abstract_int : types.i32, type) : type;
    return types.hidden_structure(
        name, {{.name = "fract", .type = type}, {.name = is_frexp ? "exp" : "whole", .type = whole}});
}

TypeRef slot_type(Types& types, Slot slot, TypeRef type) {
    switch (slot) {
        case none: return types.nothing;
        case t: return type;
        case s: return type->scalar();
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
    FunctionCall call{overload.function, overload.name, {}, slot_type(types, overload.result, type)};
    for (std::size_t n = 0; n < arguments.size(); ++n) {
        call.parameters.push_back(slot_type(types, overload.parameters[n], type));
        if (!converts(arguments[n].type, call.parameters.back())) return std::nullopt;
    }
    return call;
}

std::optional<FunctionCall> match(Types& types, const Overload& overload,
                                  std::span<const Argument> arguments) {
    if (parameter_count(overload) != arguments.size()) return std::nullopt;
    if (!mentions_t(overload)) return instantiate(types, overload, types.f32, arguments);
    const TypeRef shape = arguments[0].type;  // T's first use is always the first parameter
    if (!shape->is_scalar() && !shape->is_vector()) return std::nullopt;
    if (overload.shape != ArgumentShape::scalar_or_vector && !shape->is_vector()) return std::nullopt;
    if (overload.shape == ArgumentShape::vec3 && shape->count != 3) return std::nullopt;
    const bool all_const = std::ranges::all_of(arguments, &Argument::is_const);
    for (Kind kind : preference) {
        const TypeRef scalar = types.scalar(kind);
        if (!allows(overload.domain, kind) || (scalar->is_abstract && !all_const)) continue;
        if (!converts(shape->scalar(), scalar)) continue;
        if (auto call = instantiate(types, overload, types.shaped(scalar, shape), arguments)) return call;
    }
    return std::nullopt;
}

std::string describe(const Overload& overload) {
    std::string text = std::string(overload.name) + "(";
    for (std::size_t n = 0; n < parameter_count(overload); ++n) {
        if (n != 0) text += ", ";
        text += slot_text(overload.parameters[n]);
    }
    text += ")";
    if (!mentions_t(overload)) return text;
    const std::string_view shapes = overload.shape == ArgumentShape::scalar_or_vector ? ", scalar or vector"
                                    : overload.shape == ArgumentShape::vec3           ? ", vec3"
                                                                                      : ", vector";
    return text + " where T is " + std::string(domain_text(overload.domain)) + std::string(shapes);
}

}  // namespace

std::span<const Overload> overload_table() { return table; }

bool is_function(std::string_view name) {
    return std::ranges::binary_search(table, name, {}, &Overload::name);
}

std::expected<FunctionCall, ConstFault> choose_overload(Types& types, std::string_view name,
                                                        std::span<const Argument> arguments) {
    const auto candidates = std::ranges::equal_range(table, name, {}, &Overload::name);
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

}  // namespace muster::wgsl
