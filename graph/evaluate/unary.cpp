#include <cmath>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/erf.hpp>
#include <muster/graph/evaluate/evaluation.hpp>

namespace muster::graph {

float erf(float x) {
    const float c = semantics::max(-4.0f, semantics::min(4.0f, x)), s = c * c;
    if (x != x) return x;
    const float p =
        c * (((((((-2.72614225801306e-10f * s + 2.77068142495902e-08f) * s + -2.10102402082508e-06f) * s +
                 -5.69250639462346e-05f) *
                    s +
                -7.34990630326855e-04f) *
                   s +
               -2.95459980854025e-03f) *
                  s +
              -1.60960333262415e-02f));
    const float q =
        (((-1.45660718464996e-05f * s + -2.13374055278905e-04f) * s + -1.68282697438203e-03f) * s +
         -7.37332916720468e-03f) *
            s +
        -1.42647390514189e-02f;
    return p / q;
}

namespace {

float exp(float x) { return math::evaluate(Op::exp, x); }
float log(float x) { return math::evaluate(Op::log, x); }
float tanh(float x) { return math::evaluate(Op::tanh, x); }
float clamped_to_unit(float x) { return x != x ? x : semantics::max(0.0f, semantics::min(1.0f, x)); }

float softplus(float x) { return x > 0 ? x + log(1 + exp(-x)) : log(1 + exp(x)); }
float gelu(float x, bool by_tanh) {
    if (by_tanh) return 0.5f * x * (1 + tanh(0.79788456f * (x + 0.044715f * (x * x * x))));
    return 0.5f * x * (1 + erf(x * 0.70710678f));
}

/// A function of one number; null if the operator has none for this type.
template <class T>
using Function = T (*)(T, const Attributes&);

Function<float> unary_of_floats(Operator op) {
    using enum Operator;
    using A = const Attributes&;
    // clang-format off
    if (op == abs) return [](float x, A) { return semantics::abs(x); };
    if (op == neg) return [](float x, A) { return semantics::neg(x); };
    if (op == floor) return [](float x, A) { return semantics::floor(x); };
    if (op == ceil) return [](float x, A) { return semantics::ceil(x); };
    if (op == sqrt) return [](float x, A) { return semantics::sqrt(x); };
    if (op == Operator::exp) return [](float x, A) { return graph::exp(x); };
    if (op == Operator::log) return [](float x, A) { return graph::log(x); };
    if (op == sin) return [](float x, A) { return math::evaluate(Op::sin, x); };
    if (op == cos) return [](float x, A) { return math::evaluate(Op::cos, x); };
    if (op == Operator::tanh) return [](float x, A) { return graph::tanh(x); };
    if (op == Operator::erf) return [](float x, A) { return graph::erf(x); };
    if (op == reciprocal) return [](float x, A) { return 1 / x; };
    if (op == sigmoid) return [](float x, A) { return 1 / (1 + graph::exp(-x)); };
    if (op == hard_sigmoid) return [](float x, A a) { return clamped_to_unit(a.number("alpha") * x + a.number("beta")); };
    if (op == hard_swish) return [](float x, A) { return x * clamped_to_unit(x * (1.0f / 6) + 0.5f); };
    if (op == relu) return [](float x, A) { return x <= 0 ? 0 : x; };
    if (op == leaky_relu) return [](float x, A a) { return x < 0 ? a.number("alpha") * x : x; };
    if (op == elu) return [](float x, A a) { return x < 0 ? a.number("alpha") * (graph::exp(x) - 1) : x; };
    if (op == Operator::softplus) return [](float x, A) { return graph::softplus(x); };
    if (op == Operator::gelu) return [](float x, A a) { return graph::gelu(x, a.text("approximate") == "tanh"); };
    // clang-format on
    return nullptr;
}

Function<std::int64_t> unary_of_integers(Operator op) {
    using enum Operator;
    using A = const Attributes&;
    if (op == abs) return [](std::int64_t x, A) { return x < 0 ? semantics::neg(x) : x; };
    if (op == neg) return [](std::int64_t x, A) { return semantics::neg(x); };
    if (op == relu) return [](std::int64_t x, A) { return x > 0 ? x : 0; };
    if (op == logical_not) return [](std::int64_t x, A) -> std::int64_t { return x == 0; };
    return nullptr;
}

template <class T>
Result<void> apply_unary(Evaluation& node, Function<T> function, std::vector<T> values) {
    if (!function) return no_evaluation(node);
    for (T& x : values) x = function(x, node.attributes());
    node.set(0, values);
    return {};
}

Result<void> evaluate_clip(Evaluation& node) {
    if (node.of_floats(0)) {
        Floats values = node.floats(0);
        for (float& x : values) {
            if (node.has(1)) x = x < node.floats(1)[0] ? node.floats(1)[0] : x;
            if (node.has(2)) x = x > node.floats(2)[0] ? node.floats(2)[0] : x;
        }
        node.set(0, values);
        return {};
    }
    Integers values = node.integers(0);
    for (std::int64_t& x : values) {
        if (node.has(1)) x = std::max(x, node.integers(1)[0]);
        if (node.has(2)) x = std::min(x, node.integers(2)[0]);
    }
    node.set(0, values);
    return {};
}

/// To f16 with one rounding; to i8 and u8 by way of i32, whose low bits remain.
Result<void> evaluate_cast(Evaluation& node) {
    const ElementType to = node.output_element();
    if (node.of_floats(0)) {
        const Floats values = node.floats(0);
        if (is_float(to)) {
            node.set(0, values);
            return {};
        }
        Integers result;
        for (const float x : values) result.push_back(truncated(x, to));
        node.set(0, result);
        return {};
    }
    Integers values = node.integers(0);
    if (to == ElementType::boolean) {
        for (std::int64_t& x : values) x = x != 0;
    }
    node.set(0, values);
    return {};
}

}  // namespace

std::int64_t truncated(float x, ElementType to) {
    if (to == ElementType::boolean) return x != 0;
    const bool wide = to == ElementType::i64;
    const double limit = wide ? 0x1p63 : 0x1p31;
    if (x != x) return 0;
    if (x >= limit) return wide ? INT64_MAX : INT32_MAX;
    if (x < -limit) return wide ? INT64_MIN : INT32_MIN;
    return static_cast<std::int64_t>(x);
}

Result<void> evaluate_unary(Evaluation& node) {
    const Operator op = node.op();
    if (op == Operator::identity || op == Operator::dropout) {
        node.set(0, node.input(0));
        if (node.output_count() > 1) node.set(1, Integers(node.output_elements(1), 1));
        return {};
    }
    if (op == Operator::clip) return evaluate_clip(node);
    if (op == Operator::cast) return evaluate_cast(node);
    if (node.of_floats(0)) return apply_unary(node, unary_of_floats(op), node.floats(0));
    return apply_unary(node, unary_of_integers(op), node.integers(0));
}

}  // namespace muster::graph
