#include "support/random_expressions.hpp"

#include <algorithm>
#include <utility>

namespace muster::testing {
namespace {

using Expression = RandomExpression;

constexpr std::array<std::string_view, 5> scalar_names{"i32", "u32", "f32", "f16", "bool"};
constexpr std::array<std::string_view, 4> number_names{"i32", "u32", "f32", "f16"};
constexpr std::array<std::string_view, 9> vector_types{"vec2<i32>", "vec3<u32>", "vec4<u32>",
                                                       "vec2<f32>", "vec3<f32>", "vec4<f32>",
                                                       "vec2<f16>", "vec3<f16>", "vec4<f16>"};
// Of 64 bits.
constexpr std::array<std::string_view, 3> wide_names{"i64", "u64", "f64"};
constexpr std::array<std::string_view, 6> wide_types{"i64",       "u64",       "f64",
                                                     "vec2<u64>", "vec3<i64>", "vec4<f64>"};
constexpr std::array<std::string_view, 4> narrow_names{"i8", "u8", "i16", "u16"};
constexpr std::array<std::string_view, 7> narrow_types{"i8",       "u8",       "i16",      "u16",
                                                       "vec4<u8>", "vec3<i8>", "vec2<i16>"};
constexpr std::array<std::string_view, 8> matrix_types{"mat2x2<f32>", "mat3x3<f32>", "mat2x3<f32>",
                                                       "mat4x2<f32>", "mat2x2<f16>", "mat3x2<f16>",
                                                       "mat3x3<f16>", "mat2x4<f16>"};

bool is_float(std::string_view scalar) { return scalar == "f32" || scalar == "f16"; }
bool is_wide(std::string_view scalar) { return scalar.ends_with("64"); }
std::string other_float(std::string_view scalar) { return scalar == "f32" ? "f16" : "f32"; }

std::string like(std::string_view type, std::string_view scalar) {
    return std::string(type.substr(0, type.find('<'))) + fmt::format("<{}>", scalar);
}
std::string bools_like(std::string_view type) {
    return RandomExpressions::is_vector(type) ? like(type, "bool") : std::string("bool");
}
std::string matrix_of(char columns, char rows, std::string_view scalar) {
    return fmt::format("mat{}x{}<{}>", columns, rows, scalar);
}
/// "TYPE(@, @, ...)" with `count` operands.
std::string construction(std::string_view type, int count) {
    std::string text = std::string(type) + "(@";
    for (int i = 1; i < count; ++i) text += ", @";
    return text + ")";
}

}  // namespace

std::string RandomExpressions::scalar_of(std::string_view type) {
    const std::size_t begin = type.find('<');
    return std::string(begin == std::string_view::npos ? type
                                                       : type.substr(begin + 1, type.size() - begin - 2));
}

bool RandomExpressions::is_narrow(std::string_view type) {
    return std::ranges::find(narrow_names, scalar_of(type)) != narrow_names.end();
}

std::string RandomExpressions::any_type() {
    const int which = pick(100);
    if (which < 6) return one_of(narrow_types);
    if (which < 14) return one_of(wide_types);
    return which < 64 ? one_of(scalar_names) : which < 93 ? one_of(vector_types) : one_of(matrix_types);
}
/// A scalar type that converts to any other.
std::string RandomExpressions::any_scalar() {
    if (chance(15)) return one_of(wide_names);
    return chance(15) ? one_of(narrow_names) : one_of(scalar_names);
}
std::string RandomExpressions::any_number() { return chance(10) ? one_of(wide_names) : one_of(number_names); }
std::string RandomExpressions::any_vector_of_numbers() { return one_of(vector_types); }

// Passes the value through a function, so that no expression is a const-expression: those may not overflow,
// divide by zero, ...
std::string RandomExpressions::literal(const std::string& type) {
    return fmt::format("k_{}({})", type, bare_literal(type));
}

std::string RandomExpressions::bare_literal(const std::string& type) {
    if (type == "bool") return chance(50) ? "true" : "false";
    if (type == "i32") {
        static constexpr std::array<std::string_view, 8> edge{
            "i32(-2147483648)", "2147483647i", "-1i", "0i", "1i", "31i", "-7i", "32i"};
        return chance(40) ? one_of(edge) : fmt::format("{}i", pick(100));
    }
    if (type == "u32") {
        static constexpr std::array<std::string_view, 6> edge{"4294967295u", "2147483648u", "0u",
                                                              "1u",          "32u",         "33u"};
        return chance(40) ? one_of(edge) : fmt::format("{}u", pick(100));
    }
    if (type == "i64") {
        static constexpr std::array<std::string_view, 5> edge{
            "-9223372036854775807li - 1", "9223372036854775807li", "-1li", "0li", "4294967296li"};
        return chance(40) ? one_of(edge) : fmt::format("{}li", pick(100));
    }
    if (type == "u64") {
        static constexpr std::array<std::string_view, 5> edge{
            "18446744073709551615lu", "9223372036854775808lu", "0lu", "4294967295lu", "64lu"};
        return chance(40) ? one_of(edge) : fmt::format("{}lu", pick(100));
    }
    if (type == "f64") {
        static constexpr std::array<std::string_view, 8> edge{"0.0lf",   "-0.0lf", "1.0lf",   "0.1lf",
                                                              "1e300lf", "4e18lf", "-2.25lf", "1e-310lf"};
        return chance(50) ? one_of(edge) : fmt::format("{}.{}lf", pick(100), pick(1000));
    }
    if (type == "f16") {
        static constexpr std::array<std::string_view, 10> edge{
            "0.0h", "-0.0h", "1.0h", "0.5h", "-1.5h", "65504.0h", "2049.0h", "-2.25h", "1e-4h", "6e-8h"};
        return chance(50) ? one_of(edge) : fmt::format("{}.{}h", pick(100), pick(1000));
    }
    static constexpr std::array<std::string_view, 9> edge{"0.0f",  "-0.0f", "1.0f",   "0.5f",  "-1.5f",
                                                          "1e20f", "3e9f",  "-2.25f", "1e-20f"};
    return chance(50) ? one_of(edge) : fmt::format("{}.{}f", pick(100), pick(1000));
}

Expression RandomExpressions::leaf(const std::string& type) {
    std::vector<const Local*> fitting;
    for (const Local& local : locals_) {
        if (local.type == type) fitting.push_back(&local);
    }
    if (!fitting.empty() && chance(70)) {
        return {type, fitting[static_cast<std::size_t>(pick(static_cast<int>(fitting.size())))]->name, {}};
    }
    if (is_narrow(type)) return narrow_leaf(type);
    if (is_matrix(type)) {
        Expression columns{type, construction(type, type[3] - '0'), {}};
        for (char i = '0'; i < type[3]; ++i)
            columns.arguments.push_back(leaf(vector_of(type[5], scalar_of(type))));
        return columns;
    }
    if (is_vector(type)) return {type, fmt::format("{}({})", type, literal(scalar_of(type))), {}};
    return {type, literal(type), {}};
}

Expression RandomExpressions::made(std::string type, std::string text, const std::vector<std::string>& parts,
                                   int depth) {
    Expression expression{std::move(type), std::move(text), {}};
    for (const std::string& part : parts) expression.arguments.push_back(this->expression(part, depth - 1));
    return expression;
}

Expression RandomExpressions::expression(const std::string& type, int depth) {
    if (depth <= 0 || chance(15)) return leaf(type);
    if (is_narrow(type)) return narrow_expression(type, depth);
    if (is_matrix(type)) return matrix_expression(type, depth);
    if (is_vector(type) && chance(30)) return vector_expression(type, depth);
    if (chance(10))
        return made(type, "select(@, @, @)", {type, type, chance(50) ? "bool" : bools_like(type)}, depth);
    const std::string scalar = scalar_of(type);
    if (scalar == "bool") return bool_expression(type, depth);
    if (is_wide(scalar) && chance(25)) return wide_source(type, depth);
    if (!is_vector(type) && !is_wide(type) && chance(25)) return scalar_source(type, depth);
    if (scalar == "f64") return double_expression(type, depth);
    return is_float(scalar) ? float_expression(type, depth) : integer_expression(type, depth);
}

Expression RandomExpressions::narrow_leaf(const std::string& type) {
    const std::string wide = chance(50) ? "i32" : "u32";
    if (!is_vector(type)) return {type, fmt::format("{}({})", type, literal(wide)), {}};
    return {type, fmt::format("{}({}({}))", type, like(type, wide), literal(wide)), {}};
}

Expression RandomExpressions::narrow_expression(const std::string& type, int depth) {
    const std::string scalar = scalar_of(type), wide = chance(50) ? "i32" : "u32";
    switch (pick(6)) {
        case 0: return record_part(type, depth);
        case 1: return call(type, depth);
        case 2: {
            if (!is_vector(type)) return made(type, "(@)[@]", {vector_of('4', scalar), "u32"}, depth);
            const std::vector<std::string> parts(static_cast<std::size_t>(type[3] - '0'), scalar);
            return made(type, construction(type, type[3] - '0'), parts, depth);
        }
        default: return made(type, type + "(@)", {is_vector(type) ? like(type, wide) : wide}, depth);
    }
}

Expression RandomExpressions::matrix_expression(const std::string& type, int depth) {
    const char columns = type[3], rows = type[5];
    const std::string scalar = scalar_of(type);
    switch (pick(9)) {
        case 0: {
            const std::vector<std::string> parts(static_cast<std::size_t>(columns - '0'),
                                                 vector_of(rows, scalar));
            return made(type, construction(type, columns - '0'), parts, depth);
        }
        case 1: {
            const int count = (columns - '0') * (rows - '0');
            const std::vector<std::string> parts(static_cast<std::size_t>(count), scalar);
            return made(type, construction(type, count), parts, 1);
        }
        case 2: return made(type, type + "(@)", {like(type, other_float(scalar))}, depth);
        case 3: return made(type, chance(50) ? "(@ + @)" : "(@ - @)", {type, type}, depth);
        case 4: return made(type, "(@ * @)", {type, scalar}, depth);
        case 5: return made(type, "(@ * @)", {scalar, type}, depth);
        case 6: {
            const char inner = "234"[pick(3)];
            return made(type, "(@ * @)", {matrix_of(inner, rows, scalar), matrix_of(columns, inner, scalar)},
                        depth - 1);
        }
        case 7: return made(type, "transpose(@)", {matrix_of(rows, columns, scalar)}, depth);
        default: return chance(50) ? call(type, depth) : record_part(type, depth);
    }
}

Expression RandomExpressions::vector_expression(const std::string& type, int depth) {
    const std::string scalar = scalar_of(type);
    switch (pick(10)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            const std::vector<std::string> parts(static_cast<std::size_t>(type[3] - '0'), scalar);
            return made(type, construction(type, type[3] - '0'), parts, depth);
        }
        case 4:
        case 5: {
            static constexpr std::string_view letters = "xyzw";
            std::string text = "(@).";
            for (char i = '0'; i < type[3]; ++i) text += letters[static_cast<std::size_t>(pick(4))];
            return made(type, text, {vector_of('4', scalar)}, depth);
        }
        case 6: return call(type, depth);
        case 7: return record_part(type, depth);
        default: return vector_source(type, depth);
    }
}

// Vectors made of matrices or of packed words, and functions of whole vectors.
Expression RandomExpressions::vector_source(const std::string& type, int depth) {
    const std::string scalar = scalar_of(type);
    const char width = type[3], other = "234"[pick(3)];
    if (is_float(scalar) && chance(60)) {
        switch (pick(5)) {
            case 0: return made(type, "(@)[@]", {matrix_of(other, width, scalar), "u32"}, depth);
            case 1:
                return made(type, "(@ * @)", {matrix_of(other, width, scalar), vector_of(other, scalar)},
                            depth);
            case 2:
                return made(type, "(@ * @)", {vector_of(other, scalar), matrix_of(width, other, scalar)},
                            depth);
            case 3: return made(type, width == '3' ? "cross(@, @)" : "reflect(@, @)", {type, type}, depth);
            default: return made(type, "normalize(@)", {type}, depth);
        }
    }
    if (type == "vec2<f32>")
        return made(type, chance(70) ? "unpack2x16float(@)" : "unpack2x16snorm(@)", {"u32"}, depth);
    if (type == "vec4<f32>")
        return made(type, chance(50) ? "unpack4x8unorm(@)" : "unpack4x8snorm(@)", {"u32"}, depth);
    if (type == "vec4<i32>") return made(type, "unpack4xI8(@)", {"u32"}, depth);
    if (type == "vec4<u32>") return made(type, "unpack4xU8(@)", {"u32"}, depth);
    if (type == "vec2<u32>" || type == "vec2<i32>")
        return made(type, fmt::format("bitcast<{}>(@)", type), {"vec4<f16>"}, depth);
    if (type == "vec2<f16>") return made(type, "bitcast<vec2<f16>>(@)", {chance(50) ? "u32" : "i32"}, depth);
    if (type == "vec4<f16>")
        return made(type, "bitcast<vec4<f16>>(@)", {chance(50) ? "vec2<u32>" : "vec2<i32>"}, depth);
    return leaf(type);
}

Expression RandomExpressions::bool_expression(const std::string& type, int depth) {
    if (is_vector(type)) {
        static constexpr std::array<std::string_view, 4> compare{"(@ < @)", "(@ == @)", "(@ >= @)",
                                                                 "(@ != @)"};
        const std::string of =
            like(type, one_of(std::array<std::string_view, 5>{"f32", "u32", "f16", "f64", "i64"}));
        return made(type, one_of(compare), {of, of}, depth);
    }
    switch (pick(6)) {
        case 0: return made(type, "!(@)", {"bool"}, depth);
        case 1: return made(type, chance(50) ? "(@ && @)" : "(@ || @)", {"bool", "bool"}, depth);
        case 2: return made(type, chance(50) ? "(@ & @)" : "(@ | @)", {"bool", "bool"}, depth);
        case 3: return made(type, chance(50) ? "any(@)" : "all(@)", {"vec3<bool>"}, depth);
        default: break;
    }
    static constexpr std::array<std::string_view, 6> compare{"(@ < @)",  "(@ <= @)", "(@ > @)",
                                                             "(@ >= @)", "(@ == @)", "(@ != @)"};
    const std::string of = any_number();
    return made(type, one_of(compare), {of, of}, depth);
}

Expression RandomExpressions::call(const std::string& type, int depth) {
    for (const Callee& function : functions_) {
        if (function.type == type) return made(type, function.call, function.parameters, depth);
    }
    return leaf(type);
}

Expression RandomExpressions::record_part(const std::string& type, int depth) {
    std::vector<const RecordPart*> fitting;
    for (const RecordPart& part : record_parts)
        if (part.type == type) fitting.push_back(&part);
    if (fitting.empty()) return leaf(type);
    const std::string suffix(
        fitting[static_cast<std::size_t>(pick(static_cast<int>(fitting.size())))]->suffix);
    const std::vector<std::string> indices(static_cast<std::size_t>(std::ranges::count(suffix, '@')), "u32");
    return made(type, (chance(50) ? "scratch_record" : "kept_record") + suffix, indices, depth);
}

Expression RandomExpressions::scalar_source(const std::string& type, int depth) {
    switch (pick(9)) {
        case 0: return made(type, fmt::format("(@).{}", "xyzw"[pick(4)]), {vector_of('4', type)}, depth);
        case 1: return made(type, "(@)[@]", {vector_of('4', type), "u32"}, depth);
        case 2:
            return made(type, chance(50) ? "scratch_" + type + "[@]" : "kept_" + type + "[@ % 5u]", {"u32"},
                        depth);
        case 3: return call(type, depth);
        case 4: return packed(type, depth);
        case 5: return record_part(type, depth);
        default: break;
    }
    if (type == "u32") return made(type, chance(80) ? "words[@ % 40u]" : "words[@]", {"u32"}, depth);
    if (type == "f32") return made(type, chance(80) ? "numbers[@ % 40u]" : "numbers[@]", {"u32"}, depth);
    if (type == "f16") return made(type, chance(80) ? "fractions[@ % 40u]" : "fractions[@]", {"u32"}, depth);
    return made(type, "bitcast<i32>(@)", {one_of(std::array<std::string_view, 3>{"u32", "f32", "vec2<f16>"})},
                depth);
}

// Scalars made of several: packed words, products of packed and other vectors, determinants.
Expression RandomExpressions::packed(const std::string& type, int depth) {
    if (is_float(type)) {
        const char width = "234"[pick(3)];
        const std::string vector = vector_of(width, type);
        switch (pick(5)) {
            case 0: return made(type, "determinant(@)", {matrix_of(width, width, type)}, depth);
            case 1: return made(type, "(@)[@][@]", {matrix_of(width, '3', type), "u32", "u32"}, depth);
            case 2: return made(type, "length(@)", {vector}, depth);
            case 3: return made(type, "distance(@, @)", {vector, vector}, depth);
            default: return made(type, "dot(@, @)", {vector, vector}, depth);
        }
    }
    if (type == "i32")
        return chance(60) ? made(type, "dot4I8Packed(@, @)", {"u32", "u32"}, depth)
                          : made(type, "dot(@, @)", {"vec3<i32>", "vec3<i32>"}, depth);
    struct Packing {
        std::string_view function, from;
    };
    static constexpr std::array<Packing, 10> packings{{{"pack2x16float", "vec2<f32>"},
                                                       {"pack2x16snorm", "vec2<f32>"},
                                                       {"pack4x8unorm", "vec4<f32>"},
                                                       {"pack4x8snorm", "vec4<f32>"},
                                                       {"pack4xI8", "vec4<i32>"},
                                                       {"pack4xU8", "vec4<u32>"},
                                                       {"pack4xI8Clamp", "vec4<i32>"},
                                                       {"pack4xU8Clamp", "vec4<u32>"},
                                                       {"bitcast<u32>", "vec2<f16>"},
                                                       {"bitcast<u32>", "f32"}}};
    if (chance(20)) return made(type, "dot4U8Packed(@, @)", {"u32", "u32"}, depth);
    const Packing& packing = packings[static_cast<std::size_t>(pick(packings.size()))];
    return made(type, std::string(packing.function) + "(@)", {std::string(packing.from)}, depth);
}

Expression RandomExpressions::integer_expression(const std::string& type, int depth) {
    static constexpr std::array<std::string_view, 12> binary{"(@ + @)",   "(@ - @)",   "(@ * @)", "(@ / @)",
                                                             "(@ % @)",   "(@ & @)",   "(@ | @)", "(@ ^ @)",
                                                             "min(@, @)", "max(@, @)", "(@ + @)", "(@ * @)"};
    static constexpr std::array<std::string_view, 8> unary{"(~@)",
                                                           "abs(@)",
                                                           "countOneBits(@)",
                                                           "countLeadingZeros(@)",
                                                           "reverseBits(@)",
                                                           "firstLeadingBit(@)",
                                                           "firstTrailingBit(@)",
                                                           "countTrailingZeros(@)"};
    const std::string counts = is_vector(type) ? like(type, "u32") : "u32";
    switch (pick(7)) {
        case 0: return made(type, chance(50) ? "(@ << @)" : "(@ >> @)", {type, counts}, depth);
        case 1: return made(type, one_of(unary), {type}, depth);
        case 2:
            return made(type, type + "(@)",
                        {is_vector(type)
                             ? like(type, one_of(std::array<std::string_view, 4>{"f32", "f16", "u8", "i16"}))
                             : any_scalar()},
                        depth);
        case 3:
            return chance(70) ? made(type, "extractBits(@, @, @)", {type, "u32", "u32"}, depth)
                              : made(type, "insertBits(@, @, @, @)", {type, type, "u32", "u32"}, depth);
        case 4: return made(type, "clamp(@, @, @)", {type, type, type}, depth);
        default: return made(type, one_of(binary), {type, type}, depth);
    }
}

Expression RandomExpressions::float_expression(const std::string& type, int depth) {
    static constexpr std::array<std::string_view, 9> binary{"(@ + @)",    "(@ - @)",   "(@ * @)",
                                                            "(@ / @)",    "min(@, @)", "max(@, @)",
                                                            "step(@, @)", "(@ % @)",   "(@ * @)"};
    static constexpr std::array<std::string_view, 12> unary{
        "(-@)",    "abs(@)",   "floor(@)", "ceil(@)",     "trunc(@)",       "round(@)",
        "sqrt(@)", "fract(@)", "sign(@)",  "saturate(@)", "frexp(@).fract", "modf(@).whole"};
    static constexpr std::array<std::string_view, 6> math{"exp2(@)", "sin(@)",  "log(@)",
                                                          "atan(@)", "tanh(@)", "inverseSqrt(@)"};
    static constexpr std::array<std::string_view, 4> ternary{"mix(@, @, @)", "mix(@, @, @)", "clamp(@, @, @)",
                                                             "smoothstep(@, @, @)"};
    const std::string scalar = scalar_of(type);
    switch (pick(8)) {
        case 0: return made(type, one_of(unary), {type}, depth);
        case 1: return made(type, "fma(@, @, @)", {type, type, type}, depth);
        case 2: {
            const std::array<std::string, 5> from{"u32", "i32", other_float(scalar), "f32", "i8"};
            return made(type, type + "(@)", {is_vector(type) ? like(type, one_of(from)) : any_scalar()},
                        depth);
        }
        case 3: return made(type, one_of(math), {type}, depth);
        case 4:
            if (chance(15))
                return made(type, "ldexp(@, @)", {type, is_vector(type) ? like(type, "i32") : "i32"}, depth);
            return made(type, one_of(ternary), {type, type, type}, depth);
        default: return made(type, one_of(binary), {type, type}, depth);
    }
}

// Numbers of 64 bits from other places, and from other bits.
Expression RandomExpressions::wide_source(const std::string& type, int depth) {
    const std::string scalar = scalar_of(type);
    switch (pick(7)) {
        case 0: return record_part(type, depth);
        case 1: return call(type, depth);
        case 2:
            if (is_vector(type)) return made(type, like(type, scalar) + "(@)", {scalar}, depth);
            return made(type, chance(50) ? "scratch_" + type + "[@]" : "kept_" + type + "[@ % 5u]", {"u32"},
                        depth);
        case 3:
            if (is_vector(type)) return made(type, type + "(@)", {like(type, one_of(wide_names))}, depth);
            return made(type, "(@)[@]", {vector_of("234"[pick(3)], scalar), "u32"}, depth);
        case 4: {
            if (is_vector(type))
                return made(type, fmt::format("bitcast<{}>(@)", type), {like(type, one_of(wide_names))},
                            depth);
            const std::array<std::string, 5> from{"vec2<u32>", "vec2<f32>", "vec4<f16>", "u64", "f64"};
            return made(type, fmt::format("bitcast<{}>(@)", type), {one_of(from)}, depth);
        }
        case 5:
            if (!is_vector(type))
                return made(type, "dot(@, @)", {vector_of('3', scalar), vector_of('3', scalar)}, depth);
            [[fallthrough]];
        default:
            return made(
                type, type + "(@)",
                {is_vector(type)
                     ? like(type, one_of(std::array<std::string_view, 5>{"f32", "u32", "i32", "f16", "bool"}))
                     : any_scalar()},
                depth);
    }
}

Expression RandomExpressions::double_expression(const std::string& type, int depth) {
    static constexpr std::array<std::string_view, 9> binary{"(@ + @)",    "(@ - @)",   "(@ * @)",
                                                            "(@ / @)",    "min(@, @)", "max(@, @)",
                                                            "step(@, @)", "(@ % @)",   "(@ * @)"};
    static constexpr std::array<std::string_view, 11> unary{
        "(-@)",    "abs(@)",   "floor(@)", "ceil(@)",     "trunc(@)",      "round(@)",
        "sqrt(@)", "fract(@)", "sign(@)",  "saturate(@)", "frexp(@).fract"};
    static constexpr std::array<std::string_view, 3> ternary{"fma(@, @, @)", "mix(@, @, @)",
                                                             "clamp(@, @, @)"};
    static constexpr std::array<std::string_view, 4> math{"exp(@)", "log2(@)", "atan(@)", "inverseSqrt(@)"};
    if (chance(6)) return made(type, one_of(math), {type}, depth);
    switch (pick(4)) {
        case 0: return made(type, one_of(unary), {type}, depth);
        case 1: return made(type, one_of(ternary), {type, type, type}, depth);
        default: return made(type, one_of(binary), {type, type}, depth);
    }
}

Expression RandomExpressions::condition(int depth) {
    if (chance(65)) return expression("bool", depth);
    switch (in_function_ ? 1 : pick(3)) {  // functions have no workgroup id
        case 0: return {"bool", fmt::format("(group == {}u)", pick(2)), {}};
        case 1: return {"bool", fmt::format("(words[{}] % 3u == {}u)", pick(32), pick(3)), {}};
        default: return {"bool", fmt::format("(words[group + {}u] > {}u)", pick(32), 1u << 31), {}};
    }
}

}  // namespace muster::testing
