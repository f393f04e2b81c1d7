#include <array>
#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/quantized_sum.hpp>
#include <muster/graph/kernels/row_kernels.hpp>

namespace muster::graph {
namespace {

/// The first element of an input, or that of an index where it has more than one.
std::string parameter(GroupLowering& group, KernelText& text, std::size_t input,
                      const std::string& index = "0u") {
    if (product(group.sizes(group.input(input))) == 1)
        return text.let(group.first_element(group.input(input), text));
    const Storage storage = group.storage(group.input(input));
    return text.let(text.load(text.operand(storage), offset_along(storage, index)));
}

/// The scale or zero point as a tensor of the sizes of x: of all elements, or along the axis.
Storage along_axis(Storage storage, const Sizes& sizes, std::size_t axis) {
    const std::int64_t stride = storage.count() == 1 ? 0 : storage.strides.back();
    storage.sizes = sizes;
    storage.strides.assign(sizes.size(), 0);
    if (stride != 0) storage.strides[axis] = stride;
    return storage;
}

/// QuantizeLinear and DequantizeLinear.
Result<void> convert(GroupLowering& group, bool quantizes) {
    const Sizes sizes = group.sizes(group.input(0));
    std::size_t axis = 0;
    if (product(group.sizes(group.input(1))) != 1)
        axis = TRY(axis_index(group.attributes().integer("axis"), sizes.size()));
    KernelText text(256);
    std::vector<OperandId> operands{text.operand(group.storage(group.input(0))),
                                    text.operand(along_axis(group.storage(group.input(1)), sizes, axis))};
    if (group.has(2))
        operands.push_back(text.operand(along_axis(group.storage(group.input(2)), sizes, axis)));
    const std::size_t own = operands.size();
    Elements elements(group, text, group.output());
    operands.insert(operands.end(), elements.operands().begin(), elements.operands().end());
    const auto offsets = text.each_element(operands, elements.inner());
    const std::string x = text.let(text.load(operands[0], offsets[0])),
                      scale = text.let(text.load(operands[1], offsets[1]));
    const std::string zero = group.has(2) ? text.let(text.load(operands[2], offsets[2])) : std::string("0");
    const ElementType out = group.element(group.output());
    const std::string value = quantizes ? saturated(fmt::format("f32({}) / {}", x, scale), zero, out, text)
                                        : rounded(out, fmt::format("f32({} - {}) * {}", x, zero, scale));
    elements.store(std::span(offsets).subspan(own), value);
    group.add(std::move(text).finish());
    return {};
}

}  // namespace

Result<void> lower_quantize_linear(GroupLowering& group) { return convert(group, true); }
Result<void> lower_dequantize_linear(GroupLowering& group) { return convert(group, false); }

/// Scale and zero point in one invocation; then the elements.
Result<void> lower_dynamic_quantize_linear(GroupLowering& group) {
    const Storage from = group.storage(group.input(0));
    // Outputs that nobody wants are made, too.
    const auto output = [&](std::size_t at, ElementType element) {
        if (group.wants(at)) return group.storage(group.output(at));
        return Storage::row_major(element, {}, group.scratch(4));
    };
    const Storage to_scale = output(1, ElementType::f32), to_zero = output(2, ElementType::u8);
    Fold fold{.parts = {{"least"}, {"largest"}}};
    fold.take = [](KernelText& text, const std::string& end, const std::string& x, const std::string&) {
        text.line("least{0} = select(least{0}, {1}, {1} < least{0});", end, x);  // a NaN doesn't count
        text.line("largest{0} = select(largest{0}, {1}, {1} > largest{0});", end, x);
    };
    fold.merge = [](KernelText& text, const std::string& into, const std::string& other) {
        text.line("least{0} = min(least{0}, least{1});", into, other);
        text.line("largest{0} = max(largest{0}, largest{1});", into, other);
    };
    RowOperation operation{.folds = {std::move(fold)}};
    operation.row = [&](KernelText& text, const RowPlace&) {
        text.line("let scale = (largest - least) / 255.0f;");
        text.store(text.operand(to_scale), index_literal(to_scale.offset), "scale");
        text.store(text.operand(to_zero), index_literal(to_zero.offset),
                   fmt::format("select(0, {}, scale > 0.0f)",
                               saturated("-least / scale", "0", ElementType::u8, text)));
    };
    std::vector<std::size_t> axes(from.sizes.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    lower_rows(group, axes, operation);
    if (!group.wants(0)) return {};
    KernelText text(256);
    const Storage to = group.storage(group.output());
    const OperandId x = text.operand(from), y = text.operand(to), scale = text.operand(to_scale),
                    zero = text.operand(to_zero);
    const auto at = text.each_element(std::array{x, y}, y);
    const std::string by = text.let(text.load(scale, index_literal(to_scale.offset)));
    const std::string value =
        saturated(fmt::format("{} / {}", text.load(x, at[0]), by),
                  text.let(text.load(zero, index_literal(to_zero.offset))), ElementType::u8, text);
    text.store(y, at[1], fmt::format("select(0, {}, {} > 0.0f)", value, by));
    group.add(std::move(text).finish());
    return {};
}

QuantizedSum QuantizedSum::of_conv(GroupLowering& group, KernelText& text, const std::string& channel) {
    QuantizedSum sum{.result = group.element(group.output())};
    sum.x_zero = parameter(group, text, 2);
    sum.w_zero = parameter(group, text, 5, channel);
    sum.factor = text.let(fmt::format("({} * {}) / {}", parameter(group, text, 1),
                                      parameter(group, text, 4, channel), parameter(group, text, 6)));
    sum.y_zero = parameter(group, text, 7);
    return sum;
}

QuantizedSum QuantizedSum::of_product(GroupLowering& group, KernelText& text, const std::string& column) {
    QuantizedSum sum{.result = group.element(group.output())};
    if (group.op() == Operator::qlinear_matmul) {
        sum.x_zero = parameter(group, text, 2);
        sum.w_zero = parameter(group, text, 5);
        sum.factor = text.let(fmt::format("({} * {}) / {}", parameter(group, text, 1),
                                          parameter(group, text, 4), parameter(group, text, 6)));
        sum.y_zero = parameter(group, text, 7);
        return sum;
    }
    sum.x_zero = sum.w_zero = "0";
    if (group.has(2)) {
        sum.has_row_zeros = product(group.sizes(group.input(2))) != 1;
        if (sum.has_row_zeros)
            sum.row_zeros = text.operand(group.storage(group.input(2)));
        else
            sum.x_zero = parameter(group, text, 2);
    }
    if (group.has(3)) sum.w_zero = parameter(group, text, 3, column);
    return sum;
}

std::string QuantizedSum::finished(const std::string& sum, KernelText& text) const {
    if (factor.empty()) return sum;
    return saturated(fmt::format("f32({}) * {}", sum, factor), y_zero, result, text);
}

}  // namespace muster::graph
