// Operators, conversions and built-in functions on scalars and vectors of each type.
#include <fmt/format.h>

#include "conformance/form_types.hpp"
#include "conformance/forms.hpp"

namespace muster::conformance {
namespace {

struct Operator {
    std::string_view text, scalars;  // the operand types: "iufh"
    bool compares = false;           // gives bools
    bool mixes = false;              // takes a vector and a scalar
    bool assigns = true;             // `a += b`
};
constexpr Operator operators[] = {{"+", "iufh", false, true},
                                  {"-", "iufh", false, true},
                                  {"*", "iufh", false, true},
                                  {"/", "iufh", false, true},
                                  {"%", "iufh", false, true},
                                  {"&", "iub"},
                                  {"|", "iub"},
                                  {"^", "iu"},
                                  {"<<", "iu"},
                                  {">>", "iu"},
                                  {"==", "iufhb", true, false, false},
                                  {"!=", "iufhb", true, false, false},
                                  {"<", "iufh", true, false, false},
                                  {"<=", "iufh", true, false, false},
                                  {">", "iufh", true, false, false},
                                  {">=", "iufh", true, false, false},
                                  {"&&", "b", true, false, false},
                                  {"||", "b", true, false, false}};

struct Prefix {
    std::string_view text, scalars;
};
constexpr Prefix prefixes[] = {{"-", "ifh"}, {"~", "iu"}, {"!", "b"}};

/// A call. $a, $b, $c are of the type, $s a scalar of it, $n and $m u32, $i an i32 of the same width, $p a bool,
/// $q bools of the same width.
struct Call {
    std::string_view text, scalars;
    char result = 't';  // t: the type, s: its scalar, b: bool
    std::uint32_t least = 1, most = 4;
    bool is_long = false;  // takes long to compile
};
constexpr Call calls[] = {{"abs($a)", "iufh"},
                          {"all($a)", "b", 'b'},
                          {"any($a)", "b", 'b'},
                          {"ceil($a)", "fh"},
                          {"clamp($a, $b, $c)", "iufh"},
                          {"countLeadingZeros($a)", "iu"},
                          {"countOneBits($a)", "iu"},
                          {"countTrailingZeros($a)", "iu"},
                          {"cross($a, $b)", "fh", 't', 3, 3},
                          {"degrees($a)", "fh"},
                          {"distance($a, $b)", "fh", 's'},
                          {"dot($a, $b)", "iufh", 's', 2},
                          {"extractBits($a, $n, $m)", "iu"},
                          {"faceForward($a, $b, $c)", "fh", 't', 2},
                          {"firstLeadingBit($a)", "iu"},
                          {"firstTrailingBit($a)", "iu"},
                          {"floor($a)", "fh"},
                          {"fma($a, $b, $c)", "fh"},
                          {"fract($a)", "fh"},
                          {"frexp($a).fract", "fh"},
                          {"insertBits($a, $b, $n, $m)", "iu"},
                          {"ldexp($a, $i)", "fh"},
                          {"length($a)", "fh", 's'},
                          {"max($a, $b)", "iufh"},
                          {"min($a, $b)", "iufh"},
                          {"mix($a, $b, $c)", "fh"},
                          {"mix($a, $b, $s)", "fh", 't', 2},
                          {"modf($a).fract", "fh"},
                          {"modf($a).whole", "fh"},
                          {"normalize($a)", "fh", 't', 2},
                          {"quantizeToF16($a)", "f"},
                          {"radians($a)", "fh"},
                          {"reflect($a, $b)", "fh", 't', 2},
                          {"refract($a, $b, $s)", "fh", 't', 2},
                          {"reverseBits($a)", "iu"},
                          {"round($a)", "fh"},
                          {"saturate($a)", "fh"},
                          {"select($a, $b, $p)", "biufh"},
                          {"select($a, $b, $q)", "biufh", 't', 2},
                          {"sign($a)", "ifh"},
                          {"smoothstep($a, $b, $c)", "fh"},
                          {"sqrt(abs($a))", "fh"},
                          {"step($a, $b)", "fh"},
                          {"trunc($a)", "fh"},
                          {"acos($a * 0.1)", "fh", 't', 1, 4, true},
                          {"acosh(abs($a) + 1)", "fh", 't', 1, 4, true},
                          {"asin($a * 0.1)", "fh", 't', 1, 4, true},
                          {"asinh($a)", "fh", 't', 1, 4, true},
                          {"atan($a)", "fh", 't', 1, 4, true},
                          {"atan2($a, $b)", "fh", 't', 1, 4, true},
                          {"atanh($a * 0.1)", "fh", 't', 1, 4, true},
                          {"cos($a)", "fh", 't', 1, 4, true},
                          {"cosh($a * 0.1)", "fh", 't', 1, 4, true},
                          {"exp($a * 0.1)", "fh", 't', 1, 4, true},
                          {"exp2($a)", "fh", 't', 1, 4, true},
                          {"inverseSqrt(abs($a))", "fh", 't', 1, 4, true},
                          {"log(abs($a))", "fh", 't', 1, 4, true},
                          {"log2(abs($a))", "fh", 't', 1, 4, true},
                          {"pow(abs($a), $b * 0.1)", "fh", 't', 1, 4, true},
                          {"sin($a)", "fh", 't', 1, 4, true},
                          {"sinh($a * 0.1)", "fh", 't', 1, 4, true},
                          {"tan($a)", "fh", 't', 1, 4, true},
                          {"tanh($a)", "fh", 't', 1, 4, true}};

/// An expression of fixed types, and its type.
struct FixedCall {
    std::string_view text;
    char scalar;
    std::uint32_t width = 1;
};
constexpr FixedCall fixed_calls[] = {
    {"bitcast<i32>(vec2h(f16(numbers[id]), 0.1))", 'i'},
    {"bitcast<f32>(vec2h(f16(numbers[id]), 2))", 'f'},
    {"bitcast<vec2u>(vec4h(f16(numbers[id]), 1, -2, f16(ints[at])))", 'u', 2},
    {"bitcast<vec2h>(words[id] * 0x101u)", 'h', 2},
    {"bitcast<vec2h>(numbers[id])", 'h', 2},
    {"bitcast<vec4h>(vec2i(ints[id], 7))", 'h', 4},
    {"frexp(f16(numbers[id])).exp", 'i'},
    {"dot4I8Packed(words[at], words[id])", 'i'},
    {"dot4U8Packed(words[at], words[id])", 'u'},
    {"frexp(numbers[id]).exp", 'i'},
    {"frexp(vec3f(numbers[id], 1, numbers[2])).exp", 'i', 3},
    {"pack2x16float(vec2f(numbers[id], 0.5))", 'u'},
    {"pack2x16snorm(vec2f(numbers[id], 0.5))", 'u'},
    {"pack2x16unorm(vec2f(numbers[id], 0.5))", 'u'},
    {"pack4x8snorm(vec4f(numbers[id], 0.5, -0.25, 0))", 'u'},
    {"pack4x8unorm(vec4f(numbers[id], 0.5, -0.25, 0))", 'u'},
    {"pack4xI8(vec4i(ints[id], 1, -2, 300))", 'u'},
    {"pack4xI8Clamp(vec4i(ints[id], 1, -2, 300))", 'u'},
    {"pack4xU8(vec4u(words[id], 1, 2, 300))", 'u'},
    {"pack4xU8Clamp(vec4u(words[id], 1, 2, 300))", 'u'},
    {"unpack2x16float(words[id] + 0x3c003c00u)", 'f', 2},
    {"unpack2x16snorm(words[id] * 0x101u)", 'f', 2},
    {"unpack2x16unorm(words[id] * 0x101u)", 'f', 2},
    {"unpack4x8snorm(words[id] * 0x101u)", 'f', 4},
    {"unpack4x8unorm(words[id] * 0x101u)", 'f', 4},
    {"unpack4xI8(words[id] * 0x181u)", 'i', 4},
    {"unpack4xU8(words[id] * 0x181u)", 'u', 4}};

std::string_view scalar_word(char scalar) {
    return scalar == 'b'   ? "bool"
           : scalar == 'i' ? "i32"
           : scalar == 'u' ? "u32"
           : scalar == 'h' ? "f16"
                           : "f32";
}

/// Statements that fill a form's words one after another.
class Body {
  public:
    void add(const FormType& type, const std::string& value) {
        shared_.push_back(hash_function(type));
        text_ += fmt::format("    result[{}] = {};\n", next_++, hashed(type, value));
    }
    void line(const std::string& text) { text_ += "    " + text + "\n"; }
    Form form(std::string name) && {
        return {.name = std::move(name), .shared = std::move(shared_), .body = std::move(text_)};
    }

  private:
    std::vector<std::string> shared_;
    std::string text_;
    std::uint32_t next_ = 0;
};

std::string runtime(const FormType& type, std::uint32_t seed) {
    return *value_text(type, Constructor::runtime, seed);
}

Form form_of(const Operator& what, char scalar) {
    const bool shifts = what.text == "<<" || what.text == ">>";
    const bool is_scalar_only = what.text == "&&" || what.text == "||";
    Body body;
    for (std::uint32_t width = 1; width <= (is_scalar_only ? 1 : 4); ++width) {
        const FormType type = vector_type(scalar, width), count = vector_type(shifts ? 'u' : scalar, width);
        const FormType result = vector_type(what.compares ? 'b' : scalar, width);
        const std::string constant =
            shifts ? fmt::format("{}(5)", count.name) : *value_text(type, Constructor::full, 1);
        body.line(fmt::format("let a{0} = {1}; let b{0} = {2};", width, runtime(type, 3), runtime(count, 8)));
        const auto both = [&](const std::string& a, const std::string& b) {
            body.add(result, fmt::format("{} {} {}", a, what.text, b));
        };
        const std::string a = fmt::format("a{}", width), b = fmt::format("b{}", width);
        both(a, b);
        both(a, constant);
        if (what.mixes && width == 3) {
            both(a, "b1");
            both("a1", b);
        }
        if (!what.assigns || width % 2 == 0) continue;
        body.line(fmt::format("var v{0} = {1}; v{0} {2}= {3};", width, a, what.text, b));
        if (width == 3)
            body.line(fmt::format("v3.y {0}= b1; v3[at] {0}= b1; v3[signed_at] {0}= b1;", what.text));
        body.add(type, fmt::format("v{}", width));
    }
    return std::move(body).form(fmt::format("operator {} of {}", what.text, scalar_word(scalar)));
}

Form form_of(const Prefix& what, char scalar) {
    Body body;
    for (std::uint32_t width = 1; width <= 4; ++width) {
        const FormType type = vector_type(scalar, width);
        body.add(type, fmt::format("{}{}", what.text, runtime(type, 3)));
    }
    return std::move(body).form(fmt::format("prefix {} of {}", what.text, scalar_word(scalar)));
}

// Bits of floats are made from ordinary floats: some devices flush small numbers.
Form form_of_conversion(char from, char to) {
    Body body;
    for (std::uint32_t width = 1; width <= 4; ++width) {
        const FormType type = vector_type(from, width), result = vector_type(to, width);
        body.line(fmt::format("let a{} = {};", width, runtime(type, 5)));
        body.add(result, fmt::format("{}(a{})", result.name, width));
        if (from == 'b' || to == 'b' || from == 'h' || to == 'h') continue;
        const bool makes_floats = to == 'f' && from != 'f';
        body.add(result,
                 fmt::format("bitcast<{}>(a{}{})", result.name, width, makes_floats ? " + 0x40000000" : ""));
    }
    return std::move(body).form(fmt::format("{} to {}", scalar_word(from), scalar_word(to)));
}

void replace(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what))
        text.replace(at, what.size(), by);
}

Form form_of(const Call& call, char scalar, bool all) {
    Body body;
    for (std::uint32_t width = call.least; width <= call.most; ++width) {
        if (call.is_long && !all && width != 2) continue;
        const FormType type = vector_type(scalar, width);
        std::string text(call.text);
        std::uint32_t seed = 2;
        for (const char* const each : {"$a", "$b", "$c"}) replace(text, each, runtime(type, seed += 4));
        replace(text, "$s", runtime(scalar_type(scalar), 3));
        replace(text, "$n", "words[1]");
        replace(text, "$m", "words[4]");
        replace(text, "$i", runtime(vector_type('i', width), 1));
        replace(text, "$p", "(words[id] > 1u)");
        replace(text, "$q", runtime(vector_type('b', width), 1));
        body.add(call.result == 's'   ? scalar_type(scalar)
                 : call.result == 'b' ? scalar_type('b')
                                      : type,
                 text);
    }
    return std::move(body).form(fmt::format("{} of {}", call.text, scalar_word(scalar)));
}

// Every operator and function of matrices with this shape.
Form form_of_matrix(std::uint32_t columns, std::uint32_t rows, char scalar) {
    const auto matrix = [&](std::uint32_t c, std::uint32_t r) { return matrix_type(c, r, scalar); };
    const FormType type = matrix(columns, rows), row = vector_type(scalar, columns),
                   column = vector_type(scalar, rows);
    Body body;
    body.line(fmt::format("let a = {}; let b = {};", runtime(type, 3), runtime(type, 8)));
    body.line(fmt::format("let s = {}; let v = {}; let w = {};", runtime(scalar_type(scalar), 4),
                          runtime(row, 5), runtime(column, 2)));
    for (const char* const text : {"a + b", "a - b", "a * s", "s * a", "a * -1.5"}) body.add(type, text);
    body.add(column, "a * v");
    body.add(row, "w * a");
    body.add(matrix(rows, columns), "transpose(a)");
    if (columns == rows) body.add(scalar_type(scalar), "determinant(a)");
    for (std::uint32_t n = 2; n <= 4; ++n)
        body.add(matrix(n, rows), fmt::format("a * {}", runtime(matrix(n, columns), n)));
    body.line(fmt::format("var c = a; c += b; c *= s; c[at] *= 2; c -= a; c *= {};",
                          *value_text(matrix(columns, columns), Constructor::full, 1)));
    body.add(type, "c");
    const char other = scalar == 'f' ? 'h' : 'f';
    const FormType converted = matrix_type(columns, rows, other);
    body.add(converted, fmt::format("{}(a)", converted.name));
    return std::move(body).form(fmt::format("operations of {}", type.name));
}

}  // namespace

std::vector<Form> forms_of_operations(bool all) {
    std::vector<Form> forms;
    for (const Operator& one : operators)
        for (const char scalar : one.scalars) forms.push_back(form_of(one, scalar));
    for (const Prefix& one : prefixes)
        for (const char scalar : one.scalars) forms.push_back(form_of(one, scalar));
    for (const char from : {'b', 'i', 'u', 'f', 'h'})
        for (const char to : {'b', 'i', 'u', 'f', 'h'}) forms.push_back(form_of_conversion(from, to));
    for (const Call& one : calls)
        for (const char scalar : one.scalars) forms.push_back(form_of(one, scalar, all));
    for (std::uint32_t columns = 2; columns <= 4; ++columns)
        for (std::uint32_t rows = 2; rows <= 4; ++rows)
            for (const char scalar : {'f', 'h'}) forms.push_back(form_of_matrix(columns, rows, scalar));
    for (const FixedCall& one : fixed_calls) {
        Body body;
        body.add(vector_type(one.scalar, one.width), std::string(one.text));
        forms.push_back(std::move(body).form(std::string(one.text)));
    }
    return forms;
}

}  // namespace muster::conformance
