#include <algorithm>
#include <array>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/reduction.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/rows.hpp>

namespace muster::graph {
namespace {

/// The expressions of a reduction: for each element {0}, and for the total at the end.
struct Reduction {
    Operator op;
    std::string_view step;
    enum class End : std::uint8_t { as_it_is, extreme, mean, root } end;
};
constexpr std::array reductions{
    Reduction{Operator::reduce_sum, "total + {0}", Reduction::End::as_it_is},
    Reduction{Operator::reduce_mean, "total + {0}", Reduction::End::mean},
    Reduction{Operator::reduce_l2, "total + {0} * {0}", Reduction::End::root},
    Reduction{Operator::reduce_max, "max(total, {0})", Reduction::End::extreme},
    Reduction{Operator::reduce_min, "min(total, {0})", Reduction::End::extreme},
};

bool is_extreme(const Reduction& reduction) { return reduction.end == Reduction::End::extreme; }

std::string start(const Reduction& reduction, ElementType element, KernelText& text) {
    const float infinity = std::numeric_limits<float>::infinity();
    const bool is_least = reduction.op == Operator::reduce_max;  // begins with the least value of the type
    if (is_float(element))
        return is_extreme(reduction) ? literal(is_least ? -infinity : infinity, text) : "0.0f";
    if (!is_extreme(reduction)) return "0";
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

std::string finished(Reduction::End end, ElementType element, std::int64_t count, KernelText& text) {
    const bool of_floats = is_float(element);
    switch (end) {
        case Reduction::End::as_it_is: break;
        case Reduction::End::extreme:
            if (!of_floats) break;
            return fmt::format("select(total, {}, has_nan)",
                               literal(std::numeric_limits<float>::quiet_NaN(), text));
        case Reduction::End::mean:
            if (of_floats) return fmt::format("total / {}", literal(static_cast<float>(count), text));
            return count == 0 ? "0" : fmt::format("total / {}", count);
        case Reduction::End::root: return of_floats ? "sqrt(total)" : "i32(sqrt(f32(max(total, 0))))";
    }
    return "total";
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
    const auto reduction = std::ranges::find(reductions, group.op(), &Reduction::op);
    if (reduction == reductions.end())
        return fail(ErrorCode::unsupported, "It reduces in a way that no kernel has.");
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
    text.line("var total = {};", start(*reduction, element, text));
    // min and max lose a NaN.
    const bool looks_for_nan = is_extreme(*reduction) && is_float(element);
    if (looks_for_nan) text.line("var has_nan = false;");
    rows.each([&] {
        const std::string value = text.let(rows.load(x));
        if (looks_for_nan) text.line("has_nan = has_nan | ({0} != {0});", value);
        text.line("total = {};", fmt::format(fmt::runtime(reduction->step), value));
    });
    std::vector<std::string> indices;
    const bool keeps = group.attributes().flag("keepdims");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_reduced = std::ranges::find(axes, i) != axes.end();
        if (!is_reduced || keeps) indices.push_back(rows.indices()[i]);
    }
    elements.store_at(indices, rounded(element, finished(reduction->end, element, rows.length(), text)));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
