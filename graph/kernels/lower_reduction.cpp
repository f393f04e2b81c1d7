#include <algorithm>
#include <array>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/reduction.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/row_kernels.hpp>

namespace muster::graph {
namespace {

/// The expressions of a reduction: what is added for each element {0}, or that the extreme of all is wanted,
/// and the total at the end.
struct Reduction {
    Operator op;
    std::string_view term;
    enum class End : std::uint8_t { as_it_is, extreme, mean, root } end;
};
constexpr std::array reductions{
    Reduction{Operator::reduce_sum, "{0}", Reduction::End::as_it_is},
    Reduction{Operator::reduce_mean, "{0}", Reduction::End::mean},
    Reduction{Operator::reduce_l2, "{0} * {0}", Reduction::End::root},
    Reduction{Operator::reduce_max, "max", Reduction::End::extreme},
    Reduction{Operator::reduce_min, "min", Reduction::End::extreme},
};

bool is_extreme(const Reduction& reduction) { return reduction.end == Reduction::End::extreme; }

/// The extreme of no elements: the least value of the type, or the greatest.
double start(bool is_least, ElementType element) {
    switch (element) {
        case ElementType::boolean: return is_least ? 0 : 1;
        case ElementType::u8: return is_least ? 0 : 255;
        case ElementType::i8: return is_least ? -128 : 127;
        case ElementType::i32:
        case ElementType::i64: return is_least ? INT32_MIN : INT32_MAX;
        case ElementType::f32:
        case ElementType::f16: break;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    return is_least ? -infinity : infinity;
}

std::string finished(Reduction::End end, ElementType element, std::int64_t count, KernelText& text) {
    const bool of_floats = is_float(element);
    switch (end) {
        case Reduction::End::as_it_is:
        case Reduction::End::extreme: break;
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
    const bool keeps = group.attributes().flag("keepdims");
    std::int64_t count = 1;
    for (const std::size_t axis : axes) count *= sizes[axis];
    RowOperation operation;
    operation.row = [&](KernelText& text, const RowPlace& at) {
        std::vector<std::string> indices;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const bool is_reduced = std::ranges::find(axes, i) != axes.end();
            if (!is_reduced || keeps) indices.push_back(at[i]);
        }
        Elements(group, text, group.output())
            .store_at(indices, rounded(element, finished(reduction->end, element, count, text)));
    };
    operation.folds.push_back(is_extreme(*reduction)
                                  ? extreme_fold("total", reduction->term, is_float(element), element,
                                                 start(group.op() == Operator::reduce_max, element))
                                  : sum_fold("total", std::string(reduction->term), element));
    lower_rows(group, axes, operation);
    return {};
}

}  // namespace muster::graph
