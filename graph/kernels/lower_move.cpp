#include <array>
#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/views.hpp>

namespace muster::graph {
namespace {

/// A kernel with one invocation for each element of the anchor's output, which is copied from
/// somewhere in its first input.
class CopyKernel {
  public:
    explicit CopyKernel(GroupLowering& group)
        : group_(group),
          x_(text_.operand(group.storage(group.input(0)))),
          elements_(group, text_, group.output()) {
        text_.each_element(std::array{elements_.inner()}, elements_.inner(), &indices_);
    }
    KernelText& text() { return text_; }
    const std::vector<std::string>& indices() const { return indices_; }
    /// The input's element at these indices.
    std::string element(const std::vector<std::string>& at) {
        const Storage& storage = text_.storage(x_);
        return text_.load(x_, offset_of(at, storage.strides, storage.offset));
    }
    void finish(const std::string& value) {
        elements_.store_at(indices_, value);
        group_.add(std::move(text_).finish());
    }

  private:
    GroupLowering& group_;
    KernelText text_{256};
    OperandId x_;
    Elements elements_;
    std::vector<std::string> indices_;
};

}  // namespace

Result<void> lower_concat(GroupLowering& group) {
    Storage to = group.storage(group.output());
    const std::size_t axis = TRY(axis_index(group.attributes().integer("axis"), to.sizes.size()));
    for (std::size_t i = 0; i < group.input_count(); ++i) {
        const Storage from = group.storage(group.input(i));
        to.sizes = from.sizes;
        const bool is_there = from.place == to.place && from.offset == to.offset;
        if (from.count() > 0 && !is_there) group.add(copy_kernel(from, to));
        to.offset += from.sizes[axis] * to.strides[axis];
    }
    return {};
}

namespace {

/// Dropout's second output: all true.
KernelStep mask(const Storage& to) {
    KernelText text(256);
    const OperandId y = text.operand(to);
    text.store(y, text.each_element(std::array{y}, y)[0], "1");
    return std::move(text).finish();
}

}  // namespace

Result<void> lower_view(GroupLowering& group) {
    const Storage from = group.storage(group.input(0));
    for (std::size_t i = 0; i < group.graph().outputs(group.anchor()).size(); ++i) {
        if (!group.wants(i)) continue;
        const Storage to = group.storage(group.output(i));
        if (to.count() == 0) continue;
        if (group.op() == Operator::dropout && i > 0) {
            group.add(mask(to));
            continue;
        }
        if (const auto here = TRY(view_of(group.graph(), group.anchor(), i, from))) {
            group.add(copy_kernel(*here, to));
            continue;
        }
        // Reshaped. The output's memory, seen with the input's sizes, is written in
        // the order in which it lies.
        if (const auto there = reshaped(to, from.sizes)) {
            group.add(copy_kernel(from, *there));
            continue;
        }
        KernelText text(256);
        const OperandId x = text.operand(from), y = text.operand(to);
        text.each(to.count());
        const auto offset = [&](const Storage& storage) {
            return offset_of(text.indices_of("i", storage.sizes), storage.strides, storage.offset);
        };
        const std::string from_at = offset(from), to_at = offset(to);
        text.store(y, to_at, text.load(x, from_at));
        group.add(std::move(text).finish());
    }
    return {};
}

namespace {

/// The position of the input that a position of the padded axis shows.
std::string padded_source(std::string_view mode, const std::string& at, std::int64_t size) {
    if (mode == "edge") return fmt::format("clamp({}, 0, {})", at, size - 1);
    if (mode == "wrap") return fmt::format("(({0} % {1} + {1}) % {1})", at, size);
    return fmt::format("select(select({0}, {1} - {0}, {0} >= {2}), -{0}, {0} < 0)", at, 2 * (size - 1), size);
}

}  // namespace

Result<void> lower_pad(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0)), pads = integers(*group.constant(group.input(1)));
    Sizes axes(sizes.size()), begin(sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (group.has(3)) axes = integers(*group.constant(group.input(3)));
    for (std::size_t i = 0; i < axes.size(); ++i) begin[TRY(axis_index(axes[i], sizes.size()))] = pads[i];
    CopyKernel kernel(group);
    KernelText& text = kernel.text();
    const std::string_view mode = group.attributes().text("mode");
    std::vector<std::string> at;
    std::string inside;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string here = text.let(fmt::format("i32({}) - {}", kernel.indices()[i], begin[i]));
        if (mode == "constant") {
            inside +=
                fmt::format("{}({} >= 0 && {} < {})", inside.empty() ? "" : " && ", here, here, sizes[i]);
            at.push_back(fmt::format("u32({})", here));
        } else {
            at.push_back(text.let(fmt::format("u32({})", padded_source(mode, here, sizes[i]))));
        }
    }
    if (mode != "constant" || inside.empty()) {
        kernel.finish(kernel.element(at));
        return {};
    }
    const bool of_floats = is_float(group.element(group.output()));
    text.line("var value = {};", of_floats ? "0.0f" : "0");
    if (group.has(2)) {
        const Storage constant = group.storage(group.input(2));
        const OperandId otherwise = text.operand(constant);
        text.line("value = {};", text.load(otherwise, index_literal(constant.offset)));
    }
    if (product(sizes) > 0) text.line("if {} {{ value = {}; }}", inside, kernel.element(at));
    kernel.finish("value");
    return {};
}

Result<void> lower_tile(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    CopyKernel kernel(group);
    std::vector<std::string> at = kernel.indices();
    for (std::size_t i = 0; i < at.size(); ++i)
        at[i] = fmt::format("({} % {})", at[i], index_literal(sizes[i]));
    kernel.finish(kernel.element(at));
    return {};
}

Result<void> lower_trilu(GroupLowering& group) {
    const std::int64_t k = group.has(1) ? integers(*group.constant(group.input(1)))[0] : 0;
    CopyKernel kernel(group);
    const auto& at = kernel.indices();
    const bool of_floats = is_float(group.element(group.output()));
    const std::string diagonal = fmt::format("i32({}) - i32({})", at.back(), at[at.size() - 2]);
    kernel.finish(fmt::format("select({}, {}, {} {} {})", of_floats ? "0.0f" : "0", kernel.element(at),
                              diagonal, group.attributes().flag("upper") ? ">=" : "<=",
                              std::clamp<std::int64_t>(k, INT32_MIN + 1, INT32_MAX)));
    return {};
}

Result<void> lower_depth_to_space(GroupLowering& group) {
    const std::string block = index_literal(group.attributes().integer("blocksize"));
    const std::string channels = index_literal(group.sizes(group.output())[1]);
    CopyKernel kernel(group);
    const auto& index = kernel.indices();
    const std::string in_block =
        kernel.text().let(fmt::format("{0} % {2} * {2} + {1} % {2}", index[2], index[3], block));
    const std::string channel = group.attributes().text("mode") == "DCR"
                                    ? fmt::format("({} * {} + {})", in_block, channels, index[1])
                                    : fmt::format("({0} * {1} * {1} + {2})", index[1], block, in_block);
    kernel.finish(kernel.element({index[0], channel, fmt::format("({} / {})", index[2], block),
                                  fmt::format("({} / {})", index[3], block)}));
    return {};
}

Result<void> lower_constant_of_shape(GroupLowering& group) {
    KernelText text(256);
    Elements elements(group, text, group.output());
    std::vector<std::string> indices;
    text.each_element(std::array{elements.inner()}, elements.inner(), &indices);
    const Tensor zero;
    const Tensor* value = group.attributes().tensor("value");
    elements.store_at(indices, literal(value ? *value : zero, text));
    group.add(std::move(text).finish());
    return {};
}

Result<void> lower_range(GroupLowering& group) {
    KernelText text(256);
    Elements elements(group, text, group.output());
    const auto scalar = [&](std::size_t input) {
        const Storage storage = group.storage(group.input(input));
        return text.load(text.operand(storage), index_literal(storage.offset));
    };
    const std::string start = scalar(0), delta = scalar(2);
    std::vector<std::string> indices;
    text.each_element(std::array{elements.inner()}, elements.inner(), &indices);
    const bool of_floats = is_float(group.element(group.output()));
    elements.store_at(indices,
                      fmt::format("{} + {}({}) * {}", start, of_floats ? "f32" : "i32", indices[0], delta));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
