#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/graph/infer/inference.hpp>
#include <muster/foundation/graph/infer/reduction.hpp>
#include <muster/foundation/graph/kernel/element_expression.hpp>
#include <muster/graph/kernels/rows.hpp>

namespace muster::graph {
namespace {

bool is_extreme(Operator op) { return op == Operator::reduce_max || op == Operator::reduce_min; }

std::string start(Operator op, ElementType element, KernelText& text) {
    const float infinity = std::numeric_limits<float>::infinity();
    if (is_float(element)) {
        if (!is_extreme(op)) return "0.0f";
        return literal(op == Operator::reduce_max ? -infinity : infinity, text);
    }
    if (!is_extreme(op)) return "0";
    const bool is_least = op == Operator::reduce_max;  // begins with the least value of the type
    switch (element) {
        case ElementType::boolean: return is_least ? "0" : "1";
        case ElementType::u8: return is_least ? "0" : "255";
        case ElementType::i8: return is_least ? "-128" : "127";
        case ElementType::i32:
        case ElementType::i64: return is_least ? "i32(-2147483648)" : "2147483647";
        case ElementType::f32:
        case ElementType::f16: break;
    }
    return "0";
}

std::string accumulated(Operator op, const std::string& x) {
    if (op == Operator::reduce_max) return fmt::format("max(total, {})", x);
    if (op == Operator::reduce_min) return fmt::format("min(total, {})", x);
    return op == Operator::reduce_l2 ? fmt::format("total + {0} * {0}", x) : fmt::format("total + {}", x);
}

std::string finished(Operator op, ElementType element, std::int64_t count, KernelText& text) {
    const bool of_floats = is_float(element);
    if (op == Operator::reduce_mean) {
        if (of_floats) return fmt::format("total / {}", literal(static_cast<float>(count), text));
        return count == 0 ? "0" : fmt::format("total / {}", count);
    }
    if (is_extreme(op) && of_floats)
        return fmt::format("select(total, {}, has_nan)",
                           literal(std::numeric_limits<float>::quiet_NaN(), text));
    if (op != Operator::reduce_l2) return "total";
    return of_floats ? "sqrt(total)" : "i32(sqrt(f32(max(total, 0))))";
}

/// Axes that reduce nothing: the elements as they are.
Result<void> copy(GroupLowering& group) {
    KernelText text(256);
    const OperandId x = text.operand(group.storage(group.input(0)));
    Elements elements(group, text, group.output());
    std::vector<OperandId> operands{x};
    operands.insert(operands.end(), elements.operands().begin(), elements.operands().end());
    const auto offsets = text.each_element(operands, elements.inner());
    elements.store(std::span(offsets).subspan(1), text.load(x, offsets[0]));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace

Result<void> lower_reduction(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    std::vector<std::int64_t> said;
    if (group.has(1)) said = integers(*group.constant(group.input(1)));
    const auto axes = TRY(reduced_axes(group.attributes(), said, sizes.size()));
    if (axes.empty() && said.empty() && group.attributes().flag("noop_with_empty_axes")) return copy(group);
    const ElementType element = group.element(group.input(0));
    KernelText text(64);
    const OperandId x = text.operand(group.storage(group.input(0)));
    Elements elements(group, text, group.output());
    Rows rows(text, sizes, axes);
    text.line("var total = {};", start(group.op(), element, text));
    // min and max lose a NaN.
    const bool looks_for_nan = is_extreme(group.op()) && is_float(element);
    if (looks_for_nan) text.line("var has_nan = false;");
    rows.each([&] {
        const std::string value = text.let(rows.load(x));
        if (looks_for_nan) text.line("has_nan = has_nan | ({0} != {0});", value);
        text.line("total = {};", accumulated(group.op(), value));
    });
    std::vector<std::string> indices;
    const bool keeps = group.attributes().flag("keepdims");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_reduced = std::ranges::find(axes, i) != axes.end();
        if (!is_reduced || keeps) indices.push_back(rows.indices()[i]);
    }
    elements.store_at(indices, rounded(element, finished(group.op(), element, rows.length(), text)));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
