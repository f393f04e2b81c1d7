#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/plan/integer_ranges.hpp>

namespace muster::graph {
namespace {

/// A range whose ends are exact far beyond 64 bits, so that products don't wrap.
struct IntegerRange {
    long double least = 0, most = 0;
    IntegerRange with(const IntegerRange& other) const {
        return {std::min(least, other.least), std::max(most, other.most)};
    }
    long double magnitude() const { return std::max(std::fabs(least), std::fabs(most)); }
};
using Found = std::optional<IntegerRange>;

Found with(const Found& a, const Found& b) { return a && b ? Found(a->with(*b)) : std::nullopt; }
bool fits(const Found& range) { return range && range->least >= -0x1p31L && range->most <= 0x1p31L - 1; }

IntegerRange of_type(ElementType element) {
    switch (element) {
        case ElementType::boolean: return {0, 1};
        case ElementType::u8: return {0, 255};
        case ElementType::i8: return {-128, 127};
        case ElementType::i32:
        case ElementType::i64:
        case ElementType::f32:
        case ElementType::f16: break;
    }
    return {-0x1p31L, 0x1p31L - 1};
}

IntegerRange of_constant(const Tensor& tensor) {
    const std::vector<std::int64_t> values = integers(tensor);
    if (values.empty()) return {};
    const auto [least, most] = std::ranges::minmax(values);
    return {static_cast<long double>(least), static_cast<long double>(most)};
}

IntegerRange product_of(const IntegerRange& a, const IntegerRange& b) {
    const long double ends[]{a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
    return {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

class Ranges {
  public:
    Ranges(const Graph& graph, std::span<const int> magnitudes) : graph_(graph), found_(graph.value_count()) {
        for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
            const ValueId id = graph.inputs()[i];
            const long double bound = std::ldexp(1.0L, magnitudes[i]);
            if (graph.value(id).type.element == ElementType::i64)
                found_[id.index] = IntegerRange{-bound, bound - 1};
        }
    }

    Result<void> check() {
        for (const NodeId node : graph_.nodes()) {
            for (std::size_t i = 0; i < graph_.outputs(node).size(); ++i) {
                const ValueId output = graph_.outputs(node)[i];
                if (!output || graph_.value(output).type.element != ElementType::i64) continue;
                found_[output.index] = result(node, i);
                if (!fits(found_[output.index])) return refused(node, output);
            }
        }
        return {};
    }

  private:
    std::unexpected<Error> refused(NodeId node, ValueId output) const {
        const Found& range = found_[output.index];
        const std::string from =
            range ? fmt::format("may be from {:.0f} to {:.0f}", static_cast<double>(range->least),
                                static_cast<double>(range->most))
                  : "may be any";
        return fail(
            ErrorCode::unsupported,
            fmt::format(
                "Node {} makes integers of 64 bits (\"{}\") that {}, and devices compute these with 32.",
                graph_.label(node), printable(graph_.value(output).name), from),
            "give smaller integers, or a model that computes with i32 there");
    }

    Found of(NodeId node, std::size_t input) const {
        if (input >= graph_.inputs(node).size() || !graph_.inputs(node)[input]) return IntegerRange{};
        const Value& value = graph_.value(graph_.inputs(node)[input]);
        if (value.constant)
            return is_float(value.type.element) ? Found{} : Found(of_constant(*value.constant));
        if (value.type.element == ElementType::i64) return found_[graph_.inputs(node)[input].index];
        return is_float(value.type.element) ? Found{} : Found(of_type(value.type.element));
    }
    Found joined(NodeId node, std::size_t first, std::size_t last) const {
        Found all = of(node, first);
        for (std::size_t i = first + 1; i < last && all; ++i) all = with(all, of(node, i));
        return all;
    }
    long double elements(ValueId value) const {
        return static_cast<long double>(element_count(graph_.value(value).type.shape).number());
    }

    Found result(NodeId node, std::size_t output) const;

    const Graph& graph_;
    std::vector<Found> found_;
};

Found Ranges::result(NodeId node, std::size_t output) const {
    using enum Operator;
    const Operator op = graph_.node(node).op;
    const Attributes attributes = graph_.attributes(node);
    const ValueId first = graph_.inputs(node)[0], made = graph_.outputs(node)[0];
    const Found a = of(node, 0), b = of(node, 1);
    const IntegerRange x = a.value_or(IntegerRange{}), y = b.value_or(IntegerRange{}),
                       product = product_of(x, y);
    const auto computed = [&](long double least, long double most) {
        return a && b ? Found({least, most}) : std::nullopt;
    };
    // clang-format off
    switch (op) {
        case add: return computed(x.least + y.least, x.most + y.most);
        case sub: return computed(x.least - y.most, x.most - y.least);
        case mul: return computed(product.least, product.most);
        case prelu: return computed(std::min(x.least, product.least), std::max(x.most, product.most));
        case div: return computed(-x.magnitude(), x.magnitude());
        case neg: return computed(-x.most, -x.least);
        case abs: return computed(0, x.magnitude());
        case relu: return computed(0, std::max(0.0L, x.most));
        case matmul: {
            const auto depth = static_cast<long double>(graph_.value(first).type.shape.back().number());
            return computed(std::min(0.0L, product.least * depth), std::max(0.0L, product.most * depth));
        }
        case reduce_mean: return computed(std::min(0.0L, x.least), std::max(0.0L, x.most));
        case reduce_sum: case cum_sum: {
            const long double count = elements(first) / std::max(1.0L, op == cum_sum ? 1.0L : elements(made));
            return computed(std::min(0.0L, x.least * count), std::max(0.0L, x.most * count));
        }
        case range: {
            const long double way = of(node, 2).value_or(IntegerRange{}).magnitude() * elements(made);
            return computed(x.least - way, x.most + way);
        }
        case arg_max: return IntegerRange{-1, elements(first)};
        case top_k: case max_pool:
            if (output == 1) return IntegerRange{-1, elements(first)};
            break;
        case cast: return is_float(graph_.value(first).type.element) ? std::nullopt : a;
        case where: return joined(node, 1, 3);
        case concat: case min: case max: case clip: return joined(node, 0, graph_.inputs(node).size());
        case one_hot: return of(node, 2);
        case constant_of_shape: return of_constant(*attributes.tensor("value"));
        case scatter_nd: return attributes.text("reduction") == "none" ? with(a, of(node, 2)) : std::nullopt;
        case pad: return with(a, of(node, 2));
        case trilu: return with(a, IntegerRange{});
        case resize: {  // a mean of elements, or of them and the value outside; a cubic one may lie beyond
            const long double outside = attributes.number("extrapolation_value");
            return attributes.text("mode") != "cubic" ? with(a, IntegerRange{outside, outside}) : std::nullopt;
        }
        case reduce_max: case reduce_min:  // the greatest of no elements is the type's least value
            if (elements(first) == 0) return std::nullopt;
            break;
        // Elements of the first input, or no integers of 64 bits, or nothing is known of them.
        case identity: case dropout: case split: case slice: case gather: case gather_elements: case gather_nd:
        case transpose: case reshape: case flatten: case squeeze: case unsqueeze: case expand: case tile:
        case depth_to_space: case floor: case ceil: case sqrt: case exp: case log: case sin: case cos: case tanh: case erf:
        case reciprocal: case sigmoid: case hard_sigmoid: case hard_swish: case leaky_relu: case elu: case softplus:
        case gelu: case logical_not: case pow: case logical_and: case logical_or: case equal: case greater:
        case greater_or_equal: case less: case less_or_equal: case sum: case gemm: case conv: case conv_transpose:
        case einsum: case attention: case gru: case lstm: case average_pool: case global_average_pool:
        case global_max_pool: case batch_normalization: case layer_normalization: case instance_normalization: case lrn:
        case softmax: case reduce_l2: case shape: case quantize_linear: case dequantize_linear:
        case dynamic_quantize_linear: case matmul_integer: case qlinear_matmul: case qlinear_conv:
            break;
    }
    // clang-format on
    const bool moves = info(op).only_moves && info(op).output(output).variable == info(op).input(0).variable;
    return moves ? a : std::nullopt;
}

}  // namespace

int magnitude_of(const Tensor& tensor) {
    const IntegerRange range = of_constant(tensor);
    for (const int exponent : {8, 16, 24, 31})
        if (range.least >= -std::ldexp(1.0L, exponent) && range.most <= std::ldexp(1.0L, exponent) - 1)
            return exponent;
    return 63;
}

Result<void> check_integer_ranges(const Graph& graph, std::span<const int> magnitudes) {
    return Ranges(graph, magnitudes).check();
}

}  // namespace muster::graph
