#include <limits>

#include <muster/foundation/graph/kernel/element_expression.hpp>

namespace muster::graph {
namespace {

// WGSL's forms of evaluate's functions.
constexpr std::string_view erf_function = R"(fn error_function(x: f32) -> f32 {
    let c = max(-4.0f, min(4.0f, x));
    let s = c * c;
    let p = c * (((((((-2.72614225801306e-10f * s + 2.77068142495902e-08f) * s + -2.10102402082508e-06f) * s +
        -5.69250639462346e-05f) * s + -7.34990630326855e-04f) * s + -2.95459980854025e-03f) * s + -1.60960333262415e-02f));
    let q = (((-1.45660718464996e-05f * s + -2.13374055278905e-04f) * s + -1.68282697438203e-03f) * s +
        -7.37332916720468e-03f) * s + -1.42647390514189e-02f;
    return select(p / q, x, x != x);
})";
// pow is asked only where both numbers are ordinary: a device's own, which fast mode uses, may be exp2(y * log2(x)).
constexpr std::string_view power_function = R"(fn power(x: f32, y: f32) -> f32 {
    let infinity = from_bits(2139095040u);
    let size = abs(x);
    let is_whole = trunc(y) == y;
    let is_odd = is_whole & (abs(y) < 16777216.0f) & ((i32(y) & 1) != 0);
    let is_extreme = (size == 0.0f) | (size == infinity) | (abs(y) == infinity);
    let magnitude = select(pow(size, y), select(0.0f, infinity, (size > 1.0f) == (y > 0.0f)), is_extreme);
    let is_negative = (bitcast<u32>(x) >> 31u) == 1u;
    let result = select(magnitude, -magnitude, is_negative & is_odd);
    let is_nan = (x != x) | (y != y) | ((x < 0.0f) & (size != infinity) & !is_whole);
    let is_one = (y == 0.0f) | (x == 1.0f) | ((x == -1.0f) & (abs(y) == infinity));
    return select(select(result, from_bits(2143289344u), is_nan), 1.0f, is_one);
})";
constexpr std::string_view integer_power_function = R"(fn integer_power(x: i32, y: i32) -> i32 {
    if y < 0 { return select(select(0, select(-1, 1, (y & 1) == 0), x == -1), 1, x == 1); }
    var result = 1;
    var square = x;
    for (var left = y; left > 0; left >>= 1u) {
        if (left & 1) != 0 { result *= square; }
        square *= square;
    }
    return result;
})";

std::string number(float value, KernelText& text) { return literal(value, text); }

std::string clamped_to_unit(const std::string& x, KernelText& text) {
    const std::string value = text.let(x);
    return fmt::format("select(max(0.0f, min(1.0f, {0})), {0}, {0} != {0})", value);
}

std::string float_unary(Operator op, const Attributes& attributes, const std::string& x, KernelText& text) {
    using enum Operator;
    const auto alpha = [&] { return number(attributes.number("alpha"), text); };
    if (op == abs) return fmt::format("abs({})", x);
    if (op == neg) return fmt::format("-{}", x);
    if (op == floor) return fmt::format("floor({})", x);
    if (op == ceil) return fmt::format("ceil({})", x);
    if (op == sqrt) return fmt::format("sqrt({})", x);
    if (op == exp) return fmt::format("exp({})", x);
    if (op == log) return fmt::format("log({})", x);
    if (op == sin) return fmt::format("sin({})", x);
    if (op == cos) return fmt::format("cos({})", x);
    if (op == tanh) return fmt::format("tanh({})", x);
    if (op == reciprocal) return fmt::format("1.0f / {}", x);
    if (op == sigmoid) return fmt::format("1.0f / (1.0f + exp(-{}))", x);
    if (op == hard_sigmoid) {
        return clamped_to_unit(fmt::format("{} * {} + {}", alpha(), x, number(attributes.number("beta"), text)),
                               text);
    }
    if (op == hard_swish)
        return fmt::format("{0} * {1}", x,
                           clamped_to_unit(fmt::format("{} * {} + 0.5f", x, number(1.0f / 6, text)), text));
    if (op == relu) return fmt::format("select({0}, 0.0f, {0} <= 0.0f)", x);
    if (op == leaky_relu) return fmt::format("select({0}, {1} * {0}, {0} < 0.0f)", x, alpha());
    if (op == elu) return fmt::format("select({0}, {1} * (exp({0}) - 1.0f), {0} < 0.0f)", x, alpha());
    if (op == softplus) {
        return fmt::format("select(log(1.0f + exp({0})), {0} + log(1.0f + exp(-{0})), {0} > 0.0f)", x);
    }
    if (op == gelu && attributes.text("approximate") == "tanh") {
        return fmt::format("0.5f * {0} * (1.0f + tanh({1} * ({0} + {2} * ({0} * {0} * {0}))))", x,
                           number(0.79788456f, text), number(0.044715f, text));
    }
    text.function(erf_function);
    if (op == erf) return fmt::format("error_function({})", x);
    return fmt::format("0.5f * {0} * (1.0f + error_function({0} * {1}))", x, number(0.70710678f, text));
}

std::string integer_unary(Operator op, const std::string& x) {
    using enum Operator;
    if (op == abs) return fmt::format("abs({})", x);
    if (op == neg) return fmt::format("-{}", x);
    if (op == relu) return fmt::format("max({}, 0)", x);
    return fmt::format("select(0, 1, {} == 0)", x);  // Not
}

std::string float_pair(Operator op, const std::string& a, const std::string& b, KernelText& text) {
    using enum Operator;
    if (op == add || op == sum) return fmt::format("{} + {}", a, b);
    if (op == sub) return fmt::format("{} - {}", a, b);
    if (op == mul) return fmt::format("{} * {}", a, b);
    if (op == div) return fmt::format("{} / {}", a, b);
    if (op == prelu) return fmt::format("select({0}, {1} * {0}, {0} < 0.0f)", a, b);
    if (op == min) return extreme_or_nan("min", a, b, text);
    if (op == max) return extreme_or_nan("max", a, b, text);
    return power(a, b, text);
}

std::string integer_pair(Operator op, const std::string& a, const std::string& b, KernelText& text) {
    using enum Operator;
    if (op == logical_and) return fmt::format("{} & {}", a, b);
    if (op == logical_or) return fmt::format("{} | {}", a, b);
    if (op == prelu) return fmt::format("select({0}, {0} * {1}, {0} < 0)", a, b);
    if (op == min) return fmt::format("min({}, {})", a, b);
    if (op == max) return fmt::format("max({}, {})", a, b);
    if (op != pow) return float_pair(op, a, b, text);
    text.function(integer_power_function);
    return fmt::format("integer_power({}, {})", a, b);
}

std::string_view sign(Operator op) {
    using enum Operator;
    if (op == equal) return "==";
    if (op == greater) return ">";
    if (op == greater_or_equal) return ">=";
    return op == less ? "<" : "<=";
}

std::string cast(ElementType from, ElementType to, const std::string& x) {
    if (to == ElementType::boolean)
        return fmt::format("select(0, 1, {} != {})", x, is_float(from) ? "0.0f" : "0");
    if (is_float(from) == is_float(to)) return x;
    return fmt::format("{}({})", is_float(to) ? "f32" : "i32", x);
}

}  // namespace

bool is_elementwise(const Graph& graph, NodeId node) {
    const Operator op = graph.node(node).op;
    if (op == Operator::quantize_linear || op == Operator::dequantize_linear)
        return element_count(graph.value(graph.inputs(node)[1]).type.shape) == Dimension(1);
    return op <= Operator::sum && graph.outputs(node).size() == 1;
}

std::string saturated(std::string_view x, std::string_view zero_point, ElementType element,
                      KernelText& text) {
    text.function(R"(fn saturated(x: f32, zero_point: i32, least: f32, most: f32) -> i32 {
    let whole = clamp(select(round(x), 0.0f, x != x), -1000.0f, 1000.0f) + f32(zero_point);
    return i32(clamp(whole, least, most));
})");
    const bool is_signed = element == ElementType::i8;
    return fmt::format("saturated({}, {}, {}, {})", x, zero_point, is_signed ? "-128.0f" : "0.0f",
                       is_signed ? "127.0f" : "255.0f");
}

std::string extreme_or_nan(std::string_view which, std::string_view a, std::string_view b, KernelText& text) {
    text.function(fmt::format("fn {0}_or_nan(a: f32, b: f32) -> f32 {{\n"
                              "    return select({0}(a, b), a + b, (a != a) | (b != b));\n}}",
                              which));
    return fmt::format("{}_or_nan({}, {})", which, a, b);
}

std::string power(std::string_view x, std::string_view y, KernelText& text) {
    (void)literal(std::numeric_limits<float>::infinity(), text);  // declares from_bits()
    text.function(power_function);
    return fmt::format("power({}, {})", x, y);
}

std::string rounded(ElementType element, std::string_view value) {
    switch (element) {
        case ElementType::f16: return fmt::format("f32(f16({}))", value);
        case ElementType::i8: return fmt::format("(({}) << 24u) >> 24u", value);
        case ElementType::u8: return fmt::format("({}) & 255", value);
        case ElementType::f32:
        case ElementType::i32:
        case ElementType::i64:
        case ElementType::boolean: break;
    }
    return std::string(value);
}

std::string element_expression(const Graph& graph, NodeId id, std::span<const std::string> inputs,
                               KernelText& text) {
    const Operator op = graph.node(id).op;
    const Attributes attributes = graph.attributes(id);
    const auto element = [&](std::size_t input) { return graph.value(graph.inputs(id)[input]).type.element; };
    const ElementType out = graph.value(graph.outputs(id)[0]).type.element;
    const std::string& x = inputs[0];
    const bool of_floats = is_float(element(0));
    if (op == Operator::identity || op == Operator::dropout) return x;
    if (op == Operator::cast) return rounded(out, cast(element(0), out, x));
    const std::string zero_point = inputs.size() > 2 && !inputs[2].empty() ? inputs[2] : "0";
    if (op == Operator::quantize_linear)
        return saturated(fmt::format("f32({}) / {}", x, inputs[1]), zero_point, out, text);
    if (op == Operator::dequantize_linear)
        return rounded(out, fmt::format("f32({} - {}) * {}", x, zero_point, inputs[1]));
    if (op == Operator::where) return fmt::format("select({}, {}, {} != 0)", inputs[2], inputs[1], x);
    if (op == Operator::clip) {
        std::string value = x;
        const bool has_min = inputs.size() > 1 && !inputs[1].empty(),
                   has_max = inputs.size() > 2 && !inputs[2].empty();
        if (has_min) value = text.let(fmt::format("select({0}, {1}, {0} < {1})", value, inputs[1]));
        if (has_max) value = text.let(fmt::format("select({0}, {1}, {0} > {1})", value, inputs[2]));
        return value;
    }
    if (op >= Operator::equal && op <= Operator::less_or_equal)
        return fmt::format("select(0, 1, {} {} {})", x, sign(op), inputs[1]);
    if (op == Operator::pow && (of_floats || is_float(element(1)))) {
        const auto widened = [&](std::size_t i) { return cast(element(i), ElementType::f32, inputs[i]); };
        return rounded(out,
                       cast(ElementType::f32, out, power(widened(0), widened(1), text)));
    }
    if (op < Operator::add)
        return rounded(out, of_floats ? float_unary(op, attributes, x, text) : integer_unary(op, x));
    // The first input, then each further one combined with what there is. f16 is rounded at the end alone.
    std::string value = x;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const std::string both =
            of_floats ? float_pair(op, value, inputs[i], text) : integer_pair(op, value, inputs[i], text);
        value = i + 1 < inputs.size() ? text.let(both) : rounded(out, both);
    }
    return value;
}

}  // namespace muster::graph
