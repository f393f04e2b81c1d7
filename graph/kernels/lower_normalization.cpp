#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/row_kernels.hpp>

namespace muster::graph {
namespace {

std::string store_rounded(const GroupLowering& group, const std::string& value) {
    return rounded(group.element(group.output()), value);
}

/// A tensor [C] as one of the sizes of [N, C, ...].
Storage of_channels(Storage storage, const Sizes& sizes) {
    const std::int64_t stride = storage.strides[0];
    storage.sizes = sizes;
    storage.strides.assign(sizes.size(), 0);
    storage.strides[1] = stride;
    return storage;
}

}  // namespace

Result<void> lower_batch_normalization(GroupLowering& group) {
    KernelText text(256);
    const Sizes sizes = group.sizes(group.input(0));
    std::vector<OperandId> operands{text.operand(group.storage(group.input(0)))};
    for (std::size_t i = 1; i < 5; ++i)
        operands.push_back(text.operand(of_channels(group.storage(group.input(i)), sizes)));
    Elements elements(group, text, group.output());
    operands.insert(operands.end(), elements.operands().begin(), elements.operands().end());
    const auto offsets = text.each_element(operands, elements.inner());
    std::array<std::string, 5> loaded;
    for (std::size_t i = 0; i < 5; ++i) loaded[i] = text.let(text.load(operands[i], offsets[i]));
    const std::string value =
        fmt::format("(({} - {}) / sqrt({} + {})) * {} + {}", loaded[0], loaded[3], loaded[4],
                    literal(group.attributes().number("epsilon"), text), loaded[1], loaded[2]);
    elements.store(std::span(offsets).subspan(5), store_rounded(group, value));
    group.add(std::move(text).finish());
    return {};
}

namespace {

/// The folds that give a row's mean and inverse_deviation.
std::vector<Fold> moments(std::int64_t length, float epsilon) {
    const auto count = static_cast<float>(length);
    Fold sum = sum_fold("sum", "{0}"), squares = sum_fold("squares", "({0} - mean) * ({0} - mean)");
    sum.gives = {"mean"};
    sum.finish = [count](KernelText& text) { text.line("let mean = sum / {};", literal(count, text)); };
    squares.gives = {"inverse_deviation"};
    squares.finish = [count, epsilon](KernelText& text) {
        text.line("let inverse_deviation = 1.0f / sqrt(squares / {} + {});", literal(count, text),
                  literal(epsilon, text));
    };
    return {std::move(sum), std::move(squares)};
}

/// LayerNormalization and InstanceNormalization.
Result<void> normalize(GroupLowering& group, const std::vector<std::size_t>& axes, bool by_channels) {
    const Sizes sizes = group.sizes(group.input(0));
    const auto parameter = [&](KernelText& text, std::size_t input, const RowPlace& at) {
        const Storage given = group.storage(group.input(input));
        const Storage storage = by_channels ? of_channels(given, sizes) : broadcast_to(given, sizes);
        return text.load(text.operand(storage), offset_of(at, storage.strides, storage.offset));
    };
    std::int64_t length = 1;
    for (const std::size_t axis : axes) length *= sizes[axis];
    RowOperation operation{.folds = moments(length, group.attributes().number("epsilon"))};
    operation.element = [&](KernelText& text, const std::string& x, const RowPlace& at) {
        const std::string scaled =
            fmt::format("(({} - mean) * inverse_deviation) * {}", x, parameter(text, 1, at));
        return group.has(2) ? fmt::format("{} + {}", scaled, parameter(text, 2, at)) : scaled;
    };
    operation.row = [&](KernelText& text, const RowPlace& at) {
        for (const std::size_t output : {std::size_t{1}, std::size_t{2}}) {
            if (by_channels || !group.wants(output)) continue;
            const Storage storage = group.storage(group.output(output));
            text.store(text.operand(storage), offset_of(at, storage.strides, storage.offset),
                       output == 1 ? "mean" : "inverse_deviation");
        }
    };
    lower_rows(group, axes, operation);
    return {};
}

std::size_t rank_of(const GroupLowering& group) { return group.sizes(group.input(0)).size(); }

Result<std::size_t> normalized_axis(const GroupLowering& group) {
    return axis_index(group.attributes().integer("axis"), rank_of(group));
}

std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank) {
    std::vector<std::size_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

/// Softmax of a scalar.
Result<void> one(GroupLowering& group) {
    KernelText text(1);
    Elements elements(group, text, group.output());
    text.each(1);
    elements.store_at({}, "1.0f");
    group.add(std::move(text).finish());
    return {};
}

}  // namespace

Result<void> lower_layer_normalization(GroupLowering& group) {
    return normalize(group, axes_from(TRY(normalized_axis(group)), rank_of(group)), false);
}

Result<void> lower_instance_normalization(GroupLowering& group) {
    return normalize(group, axes_from(2, rank_of(group)), true);
}

Result<void> lower_lrn(GroupLowering& group) {
    KernelText text(64);
    const Attributes attributes = group.attributes();
    const std::int64_t size = attributes.integer("size"), channels = group.sizes(group.input(0))[1];
    const OperandId x = text.operand(group.storage(group.input(0)));
    Elements elements(group, text, group.output());
    std::vector<std::string> indices;
    text.each_element(std::array{elements.inner()}, elements.inner(), &indices);
    const Storage& storage = text.storage(x);
    const std::string here = text.let(text.load(x, offset_of(indices, storage.strides, storage.offset)));
    const std::string channel = indices[1];
    text.line("let low = {0} - min({0}, {1});", channel, index_literal((size - 1) / 2));
    text.line("let high = min({}, {} + {});", index_literal(channels - 1), channel, index_literal(size / 2));
    text.line("var sum = 0.0f;");
    text.line("for (var c = low; c <= high; c++) {");
    indices[1] = "c";
    text.line("let value = {};", text.load(x, offset_of(indices, storage.strides, storage.offset)));
    text.line("sum = sum + value * value;");
    text.line("}");
    indices[1] = channel;
    const std::string value =
        fmt::format("{} / {}", here,
                    power(fmt::format("{} + {} * sum", literal(attributes.number("bias"), text),
                                      literal(attributes.number("alpha") / static_cast<float>(size), text)),
                          literal(attributes.number("beta"), text), text));
    elements.store_at(indices, store_rounded(group, value));
    group.add(std::move(text).finish());
    return {};
}

Result<void> lower_softmax(GroupLowering& group) {
    if (rank_of(group) == 0) return one(group);
    const std::size_t axis = TRY(normalized_axis(group));
    Fold largest =
        extreme_fold("largest", "max", false, ElementType::f32, -std::numeric_limits<double>::infinity());
    largest.gives = {"largest"};
    Fold sum = sum_fold("sum", "{0}");
    sum.gives = {"sum"};
    sum.most_unrolled = 16;
    RowOperation operation{.folds = {std::move(largest), std::move(sum)}, .term = "exp({} - largest)"};
    operation.element = [](KernelText&, const std::string& term, const RowPlace&) {
        return fmt::format("{} / sum", term);
    };
    lower_rows(group, {axis}, operation);
    return {};
}

}  // namespace muster::graph
