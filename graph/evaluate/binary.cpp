#include <cmath>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>

namespace muster::graph {
namespace {

/// foundation/math's pow, of |x| where x is negative and y an integer, with the sign of an odd power.
float power(float x, float y) {
    const bool whole = semantics::trunc(y) == y;
    if (!(x < 0) || !whole) return math::evaluate(Op::pow, x, y);
    const float magnitude = math::evaluate(Op::pow, -x, y);
    const bool odd = std::fabs(y) < 0x1p24f && static_cast<std::int64_t>(y) % 2 != 0;
    return odd ? -magnitude : magnitude;
}

std::int64_t power(std::int64_t x, std::int64_t y) {
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    std::uint64_t result = 1, square = static_cast<std::uint64_t>(x);
    for (; y > 0; y >>= 1, square *= square) {
        if (y & 1) result *= square;
    }
    return static_cast<std::int64_t>(result);
}

/// A function of two numbers; null if the operator has none for this type.
template <class R, class T = R>
using PairFunction = R (*)(T, T);

PairFunction<float> pair_of_floats(Operator op) {
    using enum Operator;
    if (op == add || op == sum) return [](float a, float b) { return a + b; };
    if (op == sub) return [](float a, float b) { return a - b; };
    if (op == mul) return [](float a, float b) { return a * b; };
    if (op == div) return [](float a, float b) { return a / b; };
    if (op == prelu) return [](float a, float b) { return a < 0 ? b * a : a; };
    if (op == min) return smaller_or_nan;
    if (op == max) return greater_or_nan;
    return nullptr;
}

PairFunction<std::int64_t> pair_of_integers(Operator op) {
    using enum Operator;
    using I = std::int64_t;
    if (op == add) return [](I a, I b) { return semantics::add(a, b); };
    if (op == sub) return [](I a, I b) { return semantics::sub(a, b); };
    if (op == mul) return [](I a, I b) { return semantics::mul(a, b); };
    if (op == div) return [](I a, I b) { return semantics::div(a, b); };
    if (op == pow) return power;
    if (op == prelu) return [](I a, I b) { return a < 0 ? semantics::mul(a, b) : a; };
    if (op == min) return [](I a, I b) { return std::min(a, b); };
    if (op == max) return [](I a, I b) { return std::max(a, b); };
    if (op == logical_and) return [](I a, I b) { return a & b; };
    if (op == logical_or) return [](I a, I b) { return a | b; };
    return nullptr;
}

/// Null if the operator doesn't compare.
template <class T>
PairFunction<bool, T> comparison(Operator op) {
    using enum Operator;
    if (op == equal) return [](T a, T b) { return a == b; };
    if (op == greater) return [](T a, T b) { return a > b; };
    if (op == greater_or_equal) return [](T a, T b) { return a >= b; };
    if (op == less) return [](T a, T b) { return a < b; };
    if (op == less_or_equal) return [](T a, T b) { return a <= b; };
    return nullptr;
}

/// Both sides, broadcast, element by element.
template <class T, class Step>
void for_pairs(const Evaluation& node, const std::vector<T>& a, const std::vector<T>& b, Step&& step) {
    const auto at_a = broadcast_offsets(node.sizes(0), node.output_sizes());
    const auto at_b = broadcast_offsets(node.sizes(1), node.output_sizes());
    for (std::size_t i = 0; i < at_a.size(); ++i) step(a[at_a[i]], b[at_b[i]]);
}

void evaluate_comparison(Evaluation& node) {
    Integers result;
    const auto step = [&]<class T>(T a, T b) { result.push_back(comparison<T>(node.op())(a, b)); };
    if (node.of_floats(0))
        for_pairs(node, node.floats(0), node.floats(1), step);
    else
        for_pairs(node, node.integers(0), node.integers(1), step);
    node.set(0, result);
}

/// Pow with sides of different types: computed in f32, and truncated to an integer if X has integers.
void evaluate_mixed_power(Evaluation& node) {
    const auto widened = [&](std::size_t input) {
        if (node.of_floats(input)) return node.floats(input);
        const Integers values = node.integers(input);
        return Floats(values.begin(), values.end());
    };
    Floats result;
    for_pairs(node, widened(0), widened(1), [&](float a, float b) { result.push_back(power(a, b)); });
    if (node.of_floats(0))
        node.set(0, result);
    else {
        Integers whole;
        for (const float x : result) whole.push_back(truncated(x, node.output_element()));
        node.set(0, whole);
    }
}

void evaluate_where(Evaluation& node) {
    const Integers condition = node.integers(0);
    const auto at_condition = broadcast_offsets(node.sizes(0), node.output_sizes());
    const auto at_a = broadcast_offsets(node.sizes(1), node.output_sizes());
    const auto at_b = broadcast_offsets(node.sizes(2), node.output_sizes());
    const auto choose = [&](const auto& a, const auto& b) {
        std::remove_cvref_t<decltype(a)> result;
        for (std::size_t i = 0; i < at_a.size(); ++i)
            result.push_back(condition[at_condition[i]] ? a[at_a[i]] : b[at_b[i]]);
        node.set(0, result);
    };
    if (node.of_floats(1))
        choose(node.floats(1), node.floats(2));
    else
        choose(node.integers(1), node.integers(2));
}

/// The first input, then each further one combined with what there is, from left to right.
template <class T, class Get>
Result<void> fold(Evaluation& node, PairFunction<T> function, Get&& get) {
    if (!function) return no_evaluation(node);
    std::vector<T> result;
    for (std::size_t input = 0; input < node.input_count(); ++input) {
        const std::vector<T> values = get(input);
        const auto at = broadcast_offsets(node.sizes(input), node.output_sizes());
        if (input == 0) result.resize(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) {
            result[i] = input == 0 ? values[at[i]] : function(result[i], values[at[i]]);
        }
    }
    node.set(0, result);
    return {};
}

}  // namespace

float greater_or_nan(float a, float b) { return a != a || b != b ? a + b : semantics::max(a, b); }
float smaller_or_nan(float a, float b) { return a != a || b != b ? a + b : semantics::min(a, b); }

Result<void> evaluate_binary(Evaluation& node) {
    const Operator op = node.op();
    if (op == Operator::where)
        evaluate_where(node);
    else if (comparison<float>(op))
        evaluate_comparison(node);
    else if (op == Operator::pow && (node.of_floats(0) || node.of_floats(1)))
        evaluate_mixed_power(node);
    else if (node.of_floats(0))
        return fold<float>(node, pair_of_floats(op), [&](std::size_t i) { return node.floats(i); });
    else
        return fold<std::int64_t>(node, pair_of_integers(op),
                                  [&](std::size_t i) { return node.integers(i); });
    return {};
}

}  // namespace muster::graph
