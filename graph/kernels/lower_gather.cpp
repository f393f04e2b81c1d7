#include <array>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {
namespace {

std::string offset_in(const KernelText& text, OperandId operand, std::span<const std::string> indices) {
    const Storage& storage = text.storage(operand);
    return offset_of(indices, storage.strides, storage.offset);
}

/// An index from memory, where negative ones count from the end. One out of bounds
/// reads the axis' nearest end.
std::string index_within(KernelText& text, const std::string& index, std::int64_t size) {
    const std::string value = text.let(index);
    return text.let(
        fmt::format("u32(clamp(select({0}, {0} + {1}, {0} < 0), 0, {2}))", value, size, size - 1));
}

/// Gather, GatherElements, GatherND: one invocation for each element of the output.
class GatherKernel {
  public:
    explicit GatherKernel(GroupLowering& group)
        : group_(group),
          data_(text_.operand(group.storage(group.input(0)))),
          where_(text_.operand(group.storage(group.input(1)))),
          elements_(group, text_, group.output()) {
        text_.each_element(std::array{elements_.inner()}, elements_.inner(), &index_);
    }
    /// The output's indices.
    const std::vector<std::string>& index() const { return index_; }
    auto index(std::size_t from) const { return index_.begin() + static_cast<std::ptrdiff_t>(from); }
    /// The index that stands in the tensor of indices, into an axis of this size.
    std::string named(std::span<const std::string> at, std::int64_t size) {
        return index_within(text_, text_.load(where_, offset_in(text_, where_, at)), size);
    }
    /// Stores the data's element at these indices.
    void finish(std::span<const std::string> at) {
        elements_.store_at(index_, text_.load(data_, offset_in(text_, data_, at)));
        group_.add(std::move(text_).finish());
    }

  private:
    GroupLowering& group_;
    KernelText text_{256};
    OperandId data_, where_;
    Elements elements_;
    std::vector<std::string> index_;
};

std::string combined(std::string_view how, const std::string& before, const std::string& update,
                     bool of_floats, KernelText& text) {
    if (how == "add") return fmt::format("{} + {}", before, update);
    if (how == "mul") return fmt::format("{} * {}", before, update);
    if ((how == "min" || how == "max") && of_floats) return extreme_or_nan(how, before, update, text);
    if (how == "min" || how == "max") return fmt::format("{}({}, {})", how, before, update);
    return update;
}

}  // namespace

Result<void> lower_gather(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    const std::size_t axis = TRY(axis_index(group.attributes().integer("axis"), sizes.size()));
    GatherKernel kernel(group);
    const auto first = kernel.index(axis), last = kernel.index(axis + group.sizes(group.input(1)).size());
    std::vector<std::string> at(kernel.index().begin(), first);
    at.push_back(kernel.named(std::span(first, last), sizes[axis]));
    at.insert(at.end(), last, kernel.index().end());
    kernel.finish(at);
    return {};
}

Result<void> lower_gather_elements(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    const std::size_t axis = TRY(axis_index(group.attributes().integer("axis"), sizes.size()));
    GatherKernel kernel(group);
    std::vector<std::string> at = kernel.index();
    at[axis] = kernel.named(kernel.index(), sizes[axis]);
    kernel.finish(at);
    return {};
}

Result<void> lower_gather_nd(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0)), of_indices = group.sizes(group.input(1));
    const auto batch = static_cast<std::size_t>(group.attributes().integer("batch_dims"));
    const std::size_t outer = of_indices.size() - 1, length = static_cast<std::size_t>(of_indices.back());
    GatherKernel kernel(group);
    std::vector<std::string> tuple(kernel.index().begin(), kernel.index(outer));
    tuple.emplace_back();
    std::vector<std::string> at(kernel.index().begin(), kernel.index(batch));
    for (std::size_t i = 0; i < length; ++i) {
        tuple.back() = fmt::format("{}u", i);
        at.push_back(kernel.named(tuple, sizes[batch + i]));
    }
    at.insert(at.end(), kernel.index(outer), kernel.index().end());
    kernel.finish(at);
    return {};
}

/// A copy of the data; then one invocation for each element of a slice goes through
/// the updates in their order.
Result<void> lower_scatter_nd(GroupLowering& group) {
    const Storage from = group.storage(group.input(0)), to = group.storage(group.output());
    const Sizes of_indices = group.sizes(group.input(1));
    const auto length = static_cast<std::size_t>(of_indices.back());
    group.add(copy_kernel(from, to));
    const std::int64_t updates = product({of_indices.begin(), of_indices.end() - 1});
    KernelText text(64);
    const OperandId y = text.operand(to), where = text.operand(group.storage(group.input(1))),
                    update = text.operand(group.storage(group.input(2)));
    Sizes slice(to.sizes.begin() + static_cast<std::ptrdiff_t>(length), to.sizes.end());
    if (updates == 0 || product(slice) == 0) return {};
    text.each(product(slice));
    const std::vector<std::string> in_slice = text.indices_of("i", slice);
    text.line("for (var u = 0u; u < {}; u++) {{", index_literal(updates));
    std::vector<std::string> tuple = text.indices_of("u", {of_indices.begin(), of_indices.end() - 1});
    std::vector<std::string> at, updated = tuple;
    updated.insert(updated.end(), in_slice.begin(), in_slice.end());
    tuple.emplace_back();
    for (std::size_t i = 0; i < length; ++i) {
        tuple.back() = fmt::format("{}u", i);
        at.push_back(index_within(text, text.load(where, offset_in(text, where, tuple)), to.sizes[i]));
    }
    at.insert(at.end(), in_slice.begin(), in_slice.end());
    const std::string place = text.let(offset_in(text, y, at));
    const std::string before = text.let(text.load(y, place));
    const std::string value =
        combined(group.attributes().text("reduction"), before,
                 text.load(update, offset_in(text, update, updated)), is_float(to.element), text);
    text.store(y, place, rounded(to.element, value));
    text.line("}");
    group.add(std::move(text).finish());
    return {};
}

/// An index outside of [-depth, depth) has no place that is on. Indices that are floats are truncated.
Result<void> lower_one_hot(GroupLowering& group) {
    KernelText text(256);
    const Sizes sizes = group.sizes(group.output());
    const std::size_t axis = TRY(axis_index(group.attributes().integer("axis"), sizes.size()));
    const OperandId where = text.operand(group.storage(group.input(0))),
                    values = text.operand(group.storage(group.input(2)));
    Elements elements(group, text, group.output());
    std::vector<std::string> index;
    text.each_element(std::array{elements.inner()}, elements.inner(), &index);
    std::vector<std::string> at = index;
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::string hot = text.let(fmt::format("i32({})", text.load(where, offset_in(text, where, at))));
    const std::string is_on =
        fmt::format("i32({0}) == select({1}, {1} + {2}, {1} < 0)", index[axis], hot, sizes[axis]);
    const auto value = [&](std::int64_t i) {
        const Storage& storage = text.storage(values);
        return text.load(values, index_literal(storage.offset + i * storage.strides[0]));
    };
    elements.store_at(index, fmt::format("select({}, {}, {})", value(0), value(1), is_on));
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
