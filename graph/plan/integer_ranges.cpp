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
        for (std::size_t i = first + 1; i < last && all; ++i) {
            const Found next = of(node, i);
            all = next ? Found(all->with(*next)) : std::nullopt;
        }
        return all;
    }
    long double elements(ValueId value) const {
        return static_cast<long double>(element_count(graph_.value(value).type.shape).number());
    }

    Found result(NodeId node, std::size_t output) const;
    Found arithmetic(NodeId node) const;

    const Graph& graph_;
    std::vector<Found> found_;
};

/// The range of an operator that computes new numbers; none if nothing is known.
Found Ranges::arithmetic(NodeId node) const {
    using enum Operator;
    const Operator op = graph_.node(node).op;
    const Found a = of(node, 0), b = of(node, 1);
    if (!a || !b) return std::nullopt;
    if (op == add) return IntegerRange{a->least + b->least, a->most + b->most};
    if (op == sub) return IntegerRange{a->least - b->most, a->most - b->least};
    if (op == mul || op == prelu) return op == mul ? product_of(*a, *b) : a->with(product_of(*a, *b));
    if (op == div) return IntegerRange{-a->magnitude(), a->magnitude()};
    if (op == neg) return IntegerRange{-a->most, -a->least};
    if (op == abs) return IntegerRange{0, a->magnitude()};
    if (op == relu) return IntegerRange{0, std::max(0.0L, a->most)};
    if (op == matmul || op == gemm) {
        const Shape& shape = graph_.value(graph_.inputs(node)[0]).type.shape;
        const bool transposed = op == gemm && graph_.attributes(node).flag("transA");
        const auto depth = static_cast<long double>((transposed ? shape.front() : shape.back()).number());
        const IntegerRange product = product_of(*a, *b);
        if (op == gemm) return std::nullopt;
        return IntegerRange{std::min(0.0L, product.least * depth), std::max(0.0L, product.most * depth)};
    }
    if (op == reduce_sum || op == cum_sum || op == reduce_mean) {
        if (op == reduce_mean) return a->with({});
        const long double count = elements(graph_.inputs(node)[0]) /
                                  std::max(1.0L, op == cum_sum ? 1.0L : elements(graph_.outputs(node)[0]));
        return IntegerRange{std::min(0.0L, a->least * count), std::max(0.0L, a->most * count)};
    }
    if (op == range)
        return IntegerRange{a->least - of(node, 2)->magnitude() * elements(graph_.outputs(node)[0]),
                            a->most + of(node, 2)->magnitude() * elements(graph_.outputs(node)[0])};
    return std::nullopt;
}

Found Ranges::result(NodeId node, std::size_t output) const {
    using enum Operator;
    const Operator op = graph_.node(node).op;
    const std::size_t inputs = graph_.inputs(node).size();
    if (op == arg_max || ((op == top_k || op == max_pool) && output == 1))
        return IntegerRange{-1, elements(graph_.inputs(node)[0])};
    if (op == cast)
        return is_float(graph_.value(graph_.inputs(node)[0]).type.element) ? std::nullopt : of(node, 0);
    if (op == where) return joined(node, 1, 3);
    if (op == concat || op == min || op == max || op == clip) return joined(node, 0, inputs);
    if (op == one_hot) return of(node, 2);
    if (op == constant_of_shape) return of_constant(*graph_.attributes(node).tensor("value"));
    if (op == scatter_nd) {
        if (graph_.attributes(node).text("reduction") != "none") return std::nullopt;
        const Found a = of(node, 0), b = of(node, 2);
        return a && b ? Found(a->with(*b)) : std::nullopt;
    }
    if (op == pad || op == trilu) {
        const Found a = of(node, 0), b = op == pad ? of(node, 2) : Found(IntegerRange{});
        return a && b ? Found(a->with(*b)) : std::nullopt;
    }
    if (op == resize) {  // a mean of elements, or of them and the value outside; a cubic one may lie beyond
        const Attributes attributes = graph_.attributes(node);
        const Found a = of(node, 0);
        const long double outside = attributes.number("extrapolation_value");
        return a && attributes.text("mode") != "cubic" ? Found(a->with({outside, outside})) : std::nullopt;
    }
    // The greatest of no elements is the type's least value.
    if ((op == reduce_max || op == reduce_min) && elements(graph_.inputs(node)[0]) == 0) return std::nullopt;
    const bool moves = info(op).only_moves && info(op).output(output).variable == info(op).input(0).variable;
    return moves ? of(node, 0) : arithmetic(node);
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
