#include <array>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/window.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// One invocation for each output: over the positions of the kernel that an input reaches, then
/// the group's input channels.
Result<void> lower_conv_transpose(GroupLowering& group) {
    const Sizes x_sizes = group.sizes(group.input(0)), w_sizes = group.sizes(group.input(1));
    const std::vector<Dimension> input(x_sizes.begin() + 2, x_sizes.end());
    const auto axes = TRY(transposed_window_of(group.attributes(), input, std::span(w_sizes).subspan(2)));
    const std::int64_t channels = x_sizes[1] / group.attributes().integer("group");
    KernelText text(64);
    const OperandId x = text.operand(group.storage(group.input(0))),
                    w = text.operand(group.storage(group.input(1)));
    std::string bias;
    if (group.has(2)) {
        const Storage storage = group.storage(group.input(2));
        bias = text.load(text.operand(storage), offset_along(storage, "m"));
    }
    Elements elements(group, text, group.output());
    std::vector<std::string> indices;
    text.each_element(std::array{elements.inner()}, elements.inner(), &indices);
    text.line("let m = {};", indices[1]);
    text.line("let first_channel = m / {} * {};", index_literal(w_sizes[1]), index_literal(channels));
    text.line("var sum = 0.0f;");
    std::vector<std::string> from{indices[0], "first_channel"},
        of_weights{"first_channel", fmt::format("m % {}", index_literal(w_sizes[1]))};
    of_weights[1] = text.let(of_weights[1]);
    std::string reached;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        text.line("for (var k{0} = 0u; k{0} < {1}; k{0}++) {{", i, index_literal(axes[i].kernel));
        text.line("let at{0} = i32({1}) + {2} - i32(k{0}) * {3};", i, indices[i + 2], axes[i].pad_begin,
                  axes[i].dilation);
        text.line("let from{0} = at{0} / {1};", i, axes[i].stride);
        reached += fmt::format("{0}at{1} >= 0 && at{1} % {2} == 0 && from{1} < {3}",
                               reached.empty() ? "" : " && ", i, axes[i].stride, axes[i].input.number());
        from.push_back(fmt::format("u32(from{})", i));
        of_weights.push_back(fmt::format("k{}", i));
    }
    text.line("if {} {{", reached.empty() ? "true" : reached);
    const Storage x_storage = text.storage(x), w_storage = text.storage(w);
    text.line("let x0 = {};", offset_of(from, x_storage.strides, x_storage.offset));
    text.line("let w0 = {};", offset_of(of_weights, w_storage.strides, w_storage.offset));
    text.line("for (var c = 0u; c < {}; c++) {{", index_literal(channels));
    text.line("sum = sum + {} * {};",
              text.load(x, fmt::format("x0 + c * {}", index_literal(x_storage.strides[1]))),
              text.load(w, fmt::format("w0 + c * {}", index_literal(w_storage.strides[0]))));
    for (std::size_t i = 0; i < axes.size() + 2; ++i) text.line("}");
    elements.store_at(indices,
                      rounded(group.element(group.output()), bias.empty() ? "sum" : "sum + " + bias));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
