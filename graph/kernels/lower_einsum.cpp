#include <array>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/einsum.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/product_blocks.hpp>

namespace muster::graph {

/// One invocation for each element of the result: the sum, over the labels that the result hasn't,
/// of the inputs' products.
Result<void> lower_einsum(GroupLowering& group) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < group.input_count(); ++i) ranks.push_back(group.sizes(group.input(i)).size());
    const EinsumPlan plan = TRY(einsum_plan(group.attributes().text("equation"), ranks));
    const bool of_floats = is_float(group.element(group.output()));
    KernelText text(64);
    std::vector<OperandId> inputs;
    Sizes sizes(plan.label_count, 1);
    for (std::size_t i = 0; i < group.input_count(); ++i) {
        inputs.push_back(text.operand(group.storage(group.input(i))));
        const Sizes of = group.sizes(group.input(i));
        for (std::size_t axis = 0; axis < of.size(); ++axis) {
            std::int64_t& size = sizes[plan.inputs[i][axis]];
            if (size == 1) size = of[axis];
        }
    }
    Elements elements(group, text, group.output());
    std::vector<std::string> result;
    text.each_element(std::array{elements.inner()}, elements.inner(), &result);
    std::vector<std::string> labels(plan.label_count);
    for (std::size_t k = 0; k < plan.output.size(); ++k) labels[plan.output[k]] = result[k];
    Sizes summed = sizes;
    for (std::size_t label = 0; label < plan.label_count; ++label)
        if (!labels[label].empty()) summed[label] = 1;
    // Adds the product at these labels.
    const auto add = [&](const std::string& end) {
        std::string product;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Storage& storage = text.storage(inputs[i]);
            std::vector<std::string> at;
            for (std::size_t axis = 0; axis < storage.sizes.size(); ++axis)
                at.push_back(storage.sizes[axis] == 1 ? "0u" : labels[plan.inputs[i][axis]]);
            const std::string value = text.load(inputs[i], offset_of(at, storage.strides, storage.offset));
            product = product.empty() ? value : text.let(fmt::format("{} * {}", product, value));
        }
        text.line("sum{0} = sum{0} + {1};", end, product);
    };
    text.line("var sum = {};", of_floats ? "0.0f" : "0");
    const std::int64_t count = product(summed), blocks = of_floats ? tiles(count, product_block) : 1;
    const std::vector<std::string> outer = labels;
    tree_of_sums(text, "sum", 0)
        .write(text, "block", blocks, "", [&](const std::string& block, const std::string& end) {
            const std::string first = fmt::format("{} * {}u", block, product_block);
            each_of_block(text, first, of_floats ? product_block : count, count, "k", [&] {
                labels = text.indices_of("k", summed);
                for (std::size_t label = 0; label < labels.size(); ++label)
                    if (!outer[label].empty()) labels[label] = outer[label];
                add(end);
            });
        });
    elements.store_at(result, rounded(group.element(group.output()), "sum"));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
