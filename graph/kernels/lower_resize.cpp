#include <algorithm>
#include <array>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/resize.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/bytes.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {
namespace {

/// The taps of each position of an axis, as tables [position][tap]; where a position has fewer than others,
/// the last repeats with weight 0 and isn't added: `counts` tells.
struct Taps {
    std::vector<std::int32_t> indices, counts;
    std::vector<float> weights;
    std::int64_t most = 1;
};

Taps taps_of(const Attributes& attributes, const ResizeAxis& axis) {
    std::vector<std::vector<ResizeTap>> taps;
    Taps tables;
    for (std::int64_t at = 0; at < axis.output; ++at) {
        taps.push_back(resize_taps(attributes, axis, at));
        tables.most = std::max(tables.most, static_cast<std::int64_t>(taps.back().size()));
    }
    for (const auto& here : taps) {
        tables.counts.push_back(static_cast<std::int32_t>(here.size()));
        for (std::int64_t i = 0; i < tables.most; ++i) {
            const ResizeTap& tap = here[static_cast<std::size_t>(
                std::min<std::int64_t>(i, static_cast<std::int64_t>(here.size()) - 1))];
            tables.indices.push_back(static_cast<std::int32_t>(tap.index));
            tables.weights.push_back(tap.weight);
        }
    }
    return tables;
}

Storage table(PlanBuffer place, ElementType element, std::int64_t count) {
    return Storage::row_major(element, {count}, place);
}

/// Each element is copied from the nearest.
void nearest(GroupLowering& group, const std::vector<ResizeAxis>& axes) {
    KernelText text(256);
    const OperandId x = text.operand(group.storage(group.input(0)));
    Elements elements(group, text, group.output());
    std::vector<std::string> indices;
    text.each_element(std::array{elements.inner()}, elements.inner(), &indices);
    std::vector<std::string> at = indices;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].scale == 1 && axes[i].input == axes[i].output) continue;
        std::vector<std::int32_t> sources;
        for (std::int64_t k = 0; k < axes[i].output; ++k)
            sources.push_back(
                static_cast<std::int32_t>(resize_taps(group.attributes(), axes[i], k)[0].index));
        const OperandId from =
            text.operand(table(group.pack(packed_values(sources)), ElementType::i32, axes[i].output));
        at[i] = text.let(fmt::format("u32({})", text.load(from, indices[i])));
    }
    const Storage& storage = text.storage(x);
    elements.store_at(indices, text.load(x, offset_of(at, storage.strides, storage.offset)));
    group.add(std::move(text).finish());
}

/// One axis resized. `elements`: stores with the nodes behind, as the last axis does; otherwise to `to`.
void resize_axis(GroupLowering& group, std::size_t axis, const ResizeAxis& of_axis, const Storage& from,
                 const Storage* to) {
    const Taps taps = taps_of(group.attributes(), of_axis);
    KernelText text(256);
    const OperandId x = text.operand(from);
    std::optional<Elements> elements;
    OperandId y;
    if (to)
        y = text.operand(*to);
    else {
        elements.emplace(group, text, group.output());
        y = elements->inner();
    }
    const OperandId indices = text.operand(table(group.pack(packed_values(taps.indices)), ElementType::i32,
                                                 of_axis.output * taps.most)),
                    counts = text.operand(
                        table(group.pack(packed_values(taps.counts)), ElementType::i32, of_axis.output)),
                    weights = text.operand(table(group.pack(packed_values(taps.weights)), ElementType::f32,
                                                 of_axis.output * taps.most));
    std::vector<std::string> index;
    text.each_element(std::array{y}, y, &index);
    text.line("var sum = 0.0f;");
    text.line("for (var tap = 0u; tap < u32({}); tap++) {{", text.load(counts, index[axis]));
    text.line("let entry = {} * {} + tap;", index[axis], index_literal(taps.most));
    std::vector<std::string> at = index;
    at[axis] = fmt::format("u32({})", text.load(indices, "entry"));
    text.line("sum = sum + {} * {};", text.load(weights, "entry"),
              text.load(x, offset_of(at, from.strides, from.offset)));
    text.line("}");
    if (to)
        text.store(y, offset_of(index, to->strides, to->offset), "sum");
    else
        elements->store_at(index, rounded(group.element(group.output()), "sum"));
    group.add(std::move(text).finish());
}

}  // namespace

Result<void> lower_resize(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    const auto constant = [&](std::size_t input) {
        return group.has(input) ? group.constant(group.input(input)) : nullptr;
    };
    const auto axes = TRY(resize_axes(group.attributes(), sizes, constant(2), constant(3)));
    std::vector<std::size_t> resized;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i].scale != 1 || axes[i].input != axes[i].output) resized.push_back(i);
    if (group.attributes().text("mode") == "nearest" || resized.empty()) {
        nearest(group, axes);
        return {};
    }
    Storage from = group.storage(group.input(0));
    for (const std::size_t axis : resized) {
        if (axis == resized.back()) {
            resize_axis(group, axis, axes[axis], from, nullptr);
            break;
        }
        Sizes next = from.sizes;
        next[axis] = axes[axis].output;
        Storage to = Storage::row_major(ElementType::f32, next);
        to.place = group.scratch(to.count() * stored_bytes(to.element));
        resize_axis(group, axis, axes[axis], from, &to);
        from = to;
    }
    return {};
}

}  // namespace muster::graph
