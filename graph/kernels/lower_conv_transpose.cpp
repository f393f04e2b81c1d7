#include <array>
#include <span>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/window.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/product_blocks.hpp>

namespace muster::graph {

namespace {

/// Writes the sum of what `add` adds for each position of a kernel of these sizes, and channels, in blocks.
template <class Add>
void each_tap(KernelText& text, const Sizes& kernel, std::int64_t channels, Add&& add) {
    const ProductBlocks blocks{
        .taps = product(kernel), .row = kernel.empty() ? 1 : kernel.back(), .channels = channels};
    text.line("var sum = 0.0f;");
    tree_of_sums(text, "sum", 0)
        .write(text, "block", blocks.count(), "", [&](const std::string& block, const std::string& end) {
            if (blocks.is_one() || blocks.has_rows()) {
                const std::int64_t taps = blocks.is_one() ? blocks.taps : blocks.row;
                each_of_block(text, text.let(fmt::format("{} * {}", block, index_literal(taps))), taps,
                              blocks.taps, "tap", [&] { add(text.indices_of("tap", kernel), "0u", end); });
                return;
            }
            const std::string of_tap = index_literal(blocks.of_tap());
            const std::string first = text.let(fmt::format("{} % {} * {}u", block, of_tap, product_block));
            add(text.indices_of(fmt::format("({} / {})", block, of_tap), kernel), first, end);
        });
}

}  // namespace

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
    text.line("let of_group = m % {};", index_literal(w_sizes[1]));
    const Storage x_storage = text.storage(x), w_storage = text.storage(w);
    // Adds the products at one position of the kernel to the sum with this end: of all channels, or of the block
    // of channels that begins at `first`.
    const auto add_tap = [&](std::span<const std::string> k, const std::string& first,
                             const std::string& end) {
        std::vector<std::string> from{indices[0], "first_channel"}, of_weights{"first_channel", "of_group"};
        std::string reached;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            text.line("let at{0} = i32({1}) + {2} - i32({3}) * {4};", i, indices[i + 2], axes[i].pad_begin,
                      k[i], axes[i].dilation);
            text.line("let from{0} = at{0} / {1};", i, axes[i].stride);
            reached += fmt::format("{0}at{1} >= 0 && at{1} % {2} == 0 && from{1} < {3}",
                                   reached.empty() ? "" : " && ", i, axes[i].stride, axes[i].input.number());
            from.push_back(fmt::format("u32(from{})", i));
            of_weights.push_back(k[i]);
        }
        text.line("if {} {{", reached.empty() ? "true" : reached);
        text.line("let x0 = {};", offset_of(from, x_storage.strides, x_storage.offset));
        text.line("let w0 = {};", offset_of(of_weights, w_storage.strides, w_storage.offset));
        each_of_block(text, first, product_block, channels, "c", [&] {
            text.line("sum{0} = sum{0} + {1} * {2};", end,
                      text.load(x, fmt::format("x0 + c * {}", index_literal(x_storage.strides[1]))),
                      text.load(w, fmt::format("w0 + c * {}", index_literal(w_storage.strides[0]))));
        });
        text.line("}");
    };
    each_tap(text, {w_sizes.begin() + 2, w_sizes.end()}, channels, add_tap);
    elements.store_at(indices,
                      rounded(group.element(group.output()), bias.empty() ? "sum" : "sum + " + bias));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
