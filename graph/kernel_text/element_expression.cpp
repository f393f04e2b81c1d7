#include <limits>

#include <muster/graph/kernel_text/element_expression.hpp>

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
// pow is asked only where both numbers are ordinary: a device's own, which fast mode uses,
// may be exp2(y * log2(x)).
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

std::string cast(ElementType from, ElementType to, const std::string& x) {
    if (to == ElementType::boolean)
        return fmt::format("select(0, 1, {} != {})", x, is_float(from) ? "0.0f" : "0");
    if (is_float(from) == is_float(to)) return x;
    return fmt::format("{}({})", is_float(to) ? "f32" : "i32", x);
}

/// Writes one node's element.
class ElementWriter {
  public:
    ElementWriter(const Graph& graph, NodeId id, std::span<const std::string> inputs, KernelText& text)
        : graph_(graph), id_(id), inputs_(inputs), text_(text) {}

    std::string value() const;

  private:
    ElementType element(std::size_t input) const {
        return graph_.value(graph_.inputs(id_)[input]).type.element;
    }
    bool has(std::size_t input) const { return input < inputs_.size() && !inputs_[input].empty(); }
    std::string number(float value) const { return literal(value, text_); }
    std::string alpha() const { return number(graph_.attributes(id_).number("alpha")); }

    /// The first input in the place of {0}, and a number in that of {1}.
    std::string unary(std::string_view form, const std::string& more = {}) const {
        return rounded(out_, fmt::format(fmt::runtime(form), inputs_[0], more));
    }
    std::string clamped_to_unit(const std::string& x) const {
        const std::string value = text_.let(x);
        return fmt::format("select(max(0.0f, min(1.0f, {0})), {0}, {0} != {0})", value);
    }
    std::string error_function(const std::string& x) const {
        text_.function(erf_function);
        return fmt::format("error_function({})", x);
    }
    std::string by_gelu() const {
        const std::string& x = inputs_[0];
        if (graph_.attributes(id_).text("approximate") != "tanh") {
            const std::string inner = error_function(fmt::format("{} * {}", x, number(0.70710678f)));
            return fmt::format("0.5f * {} * (1.0f + {})", x, inner);
        }
        return fmt::format("0.5f * {0} * (1.0f + tanh({1} * ({0} + {2} * ({0} * {0} * {0}))))", x,
                           number(0.79788456f), number(0.044715f));
    }
    std::string clipped() const {
        std::string value = inputs_[0];
        if (has(1)) value = text_.let(fmt::format("select({0}, {1}, {0} < {1})", value, inputs_[1]));
        if (has(2)) value = text_.let(fmt::format("select({0}, {1}, {0} > {1})", value, inputs_[2]));
        return value;
    }
    std::string compared(std::string_view sign) const {
        return fmt::format("select(0, 1, {} {} {})", inputs_[0], sign, inputs_[1]);
    }
    /// The first input, then each further one combined with what there is: "{0} + {1}". f16 is
    /// rounded at the end alone.
    std::string folded(std::string_view form) const {
        return folded([&](const std::string& a, const std::string& b) {
            return fmt::format(fmt::runtime(form), a, b);
        });
    }
    template <class Combine>
    requires(!std::is_convertible_v<Combine, std::string_view>) std::string folded(Combine&& combine)
    const {
        std::string value = inputs_[0];
        for (std::size_t i = 1; i < inputs_.size(); ++i) {
            const std::string both = combine(value, inputs_[i]);
            value = i + 1 < inputs_.size() ? text_.let(both) : rounded(out_, both);
        }
        return value;
    }
    std::string extreme(std::string_view which) const {
        return folded([&](const std::string& a, const std::string& b) {
            return of_floats_ ? extreme_or_nan(which, a, b, text_) : fmt::format("{}({}, {})", which, a, b);
        });
    }
    /// A power; with sides of different types computed in f32, and truncated to an integer if X has integers.
    std::string raised() const {
        if (!of_floats_ && !is_float(element(1))) {
            text_.function(integer_power_function);
            return rounded(out_, fmt::format("integer_power({}, {})", inputs_[0], inputs_[1]));
        }
        const auto widened = [&](std::size_t i) { return cast(element(i), ElementType::f32, inputs_[i]); };
        return rounded(out_, cast(ElementType::f32, out_, power(widened(0), widened(1), text_)));
    }

    const Graph& graph_;
    NodeId id_;
    std::span<const std::string> inputs_;
    KernelText& text_;
    ElementType out_ = graph_.value(graph_.outputs(id_)[0]).type.element;
    bool of_floats_ = is_float(element(0));
};

std::string ElementWriter::value() const {
    using enum Operator;
    const std::string& x = inputs_[0];
    const std::string zero_point = has(2) ? inputs_[2] : "0";
    // clang-format off
    switch (graph_.node(id_).op) {
        case identity: case dropout: return x;
        case abs: return unary("abs({0})");
        case neg: return unary("-{0}");
        case floor: return unary("floor({0})");
        case ceil: return unary("ceil({0})");
        case sqrt: return unary("sqrt({0})");
        case exp: return unary("exp({0})");
        case log: return unary("log({0})");
        case sin: return unary("sin({0})");
        case cos: return unary("cos({0})");
        case tanh: return unary("tanh({0})");
        case erf: return rounded(out_, error_function(x));
        case reciprocal: return unary("1.0f / {0}");
        case sigmoid: return unary("1.0f / (1.0f + exp(-{0}))");
        case hard_sigmoid: {
            const std::string beta = number(graph_.attributes(id_).number("beta"));
            return rounded(out_, clamped_to_unit(fmt::format("{} * {} + {}", alpha(), x, beta)));
        }
        case hard_swish:
            return unary("{0} * {1}", clamped_to_unit(fmt::format("{} * {} + 0.5f", x, number(1.0f / 6))));
        case relu: return unary(of_floats_ ? "select({0}, 0.0f, {0} <= 0.0f)" : "max({0}, 0)");
        case leaky_relu: return unary("select({0}, {1} * {0}, {0} < 0.0f)", alpha());
        case elu: return unary("select({0}, {1} * (exp({0}) - 1.0f), {0} < 0.0f)", alpha());
        case softplus: return unary("select(log(1.0f + exp({0})), {0} + log(1.0f + exp(-{0})), {0} > 0.0f)");
        case gelu: return rounded(out_, by_gelu());
        case logical_not: return unary("select(0, 1, {0} == 0)");
        case cast: return rounded(out_, graph::cast(element(0), out_, x));
        case clip: return clipped();
        case add: case sum: return folded("{0} + {1}");
        case sub: return folded("{0} - {1}");
        case mul: return folded("{0} * {1}");
        case div: return folded("{0} / {1}");
        case pow: return raised();
        case prelu: return folded(of_floats_ ? "select({0}, {1} * {0}, {0} < 0.0f)" : "select({0}, {0} * {1}, {0} < 0)");
        case logical_and: return folded("{0} & {1}");
        case logical_or: return folded("{0} | {1}");
        case equal: return compared("==");
        case greater: return compared(">");
        case greater_or_equal: return compared(">=");
        case less: return compared("<");
        case less_or_equal: return compared("<=");
        case where: return fmt::format("select({}, {}, {} != 0)", inputs_[2], inputs_[1], x);
        case min: return extreme("min");
        case max: return extreme("max");
        case quantize_linear: return saturated(fmt::format("f32({}) / {}", x, inputs_[1]), zero_point, out_, text_);
        case dequantize_linear: return rounded(out_, fmt::format("f32({} - {}) * {}", x, zero_point, inputs_[1]));
        // Not element by element.
        case matmul: case gemm: case conv: case conv_transpose: case einsum: case attention: case gru: case lstm:
        case max_pool: case average_pool: case global_average_pool: case global_max_pool: case batch_normalization:
        case layer_normalization: case instance_normalization: case lrn: case softmax: case reduce_mean: case reduce_sum:
        case reduce_max: case reduce_min: case reduce_l2: case arg_max: case top_k: case cum_sum: case concat: case split:
        case slice: case gather: case gather_elements: case gather_nd: case scatter_nd: case transpose: case reshape:
        case flatten: case squeeze: case unsqueeze: case expand: case tile: case pad: case trilu: case depth_to_space:
        case one_hot: case resize: case shape: case constant_of_shape: case range: case dynamic_quantize_linear:
        case matmul_integer: case qlinear_matmul: case qlinear_conv:
            break;
    }
    // clang-format on
    return {};
}

}  // namespace

bool is_elementwise(const Graph& graph, NodeId node) {
    const Operator op = graph.node(node).op;
    if (op == Operator::quantize_linear || op == Operator::dequantize_linear)
        return element_count(graph.value(graph.inputs(node)[1]).type.shape) == Dimension(1);
    return info(op).is_elementwise && graph.outputs(node).size() == 1;
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
    text.function(
        fmt::format("fn {0}_or_nan(a: f32, b: f32) -> f32 {{\n"
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
    return ElementWriter(graph, id, inputs, text).value();
}

}  // namespace muster::graph
