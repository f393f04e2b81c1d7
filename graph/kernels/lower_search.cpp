#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/rows.hpp>

namespace muster::graph {
namespace {

/// The order of searches: a NaN is the largest.
std::string is_below(bool of_floats, std::string_view a, std::string_view b) {
    if (!of_floats) return fmt::format("({} < {})", a, b);
    return fmt::format("(({0} < {1}) | (({1} != {1}) & ({0} == {0})))", a, b);
}

Result<std::size_t> searched_axis(const GroupLowering& group, std::int64_t said) {
    return axis_index(said, group.sizes(group.input(0)).size());
}

}  // namespace

/// The first of the largest, or the last.
Result<void> lower_arg_max(GroupLowering& group) {
    KernelText text(64);
    const Sizes sizes = group.sizes(group.input(0));
    const std::size_t axis = TRY(searched_axis(group, group.attributes().integer("axis")));
    const OperandId x = text.operand(group.storage(group.input(0)));
    Elements elements(group, text, group.output());
    Rows rows(text, sizes, {axis});
    const bool of_floats = is_float(group.element(group.input(0)));
    const bool is_last = group.attributes().flag("select_last_index");
    text.line("var best = 0u;");
    text.line("var largest = {};", rows.load(x));
    rows.each([&] {
        const std::string value = text.let(rows.load(x));
        const std::string takes =
            is_last ? "!" + is_below(of_floats, value, "largest") : is_below(of_floats, "largest", value);
        text.line("if {} {{ largest = {}; best = {}; }}", takes, value, rows.indices()[axis]);
    });
    std::vector<std::string> indices = rows.indices();
    if (!group.attributes().flag("keepdims"))
        indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(axis));
    elements.store_at(indices, "i32(best)");
    group.add(std::move(text).finish());
    return {};
}

/// Each element's rank among its row tells where it goes: the number of those before it in order.
Result<void> lower_top_k(GroupLowering& group) {
    KernelText text(64);
    const Sizes sizes = group.sizes(group.input(0));
    const std::size_t axis = TRY(searched_axis(group, group.attributes().integer("axis")));
    const std::int64_t taken = group.sizes(group.output())[axis];
    const bool of_floats = is_float(group.element(group.input(0)));
    const Storage from = group.storage(group.input(0));
    const OperandId x = text.operand(from), values = text.operand(group.storage(group.output()));
    std::vector<std::string> indices;
    text.each_element(std::array{x}, x, &indices);
    const std::string own = indices[axis];
    const std::string here = text.let(text.load(x, offset_of(indices, from.strides, from.offset)));
    text.line("var rank = 0u;");
    text.line("for (var r = 0u; r < {}; r++) {{", index_literal(sizes[axis]));
    indices[axis] = "r";
    const std::string other = text.let(text.load(x, offset_of(indices, from.strides, from.offset)));
    // The first of equal values comes first.
    const auto below = [&](const std::string& a, const std::string& b) { return is_below(of_floats, a, b); };
    const bool largest = group.attributes().flag("largest");
    text.line("let is_before = {};", largest ? below(here, other) : below(other, here));
    text.line("let is_behind = {};", largest ? below(other, here) : below(here, other));
    text.line("if is_before || (!is_behind && r < {}) {{ rank++; }}", own);
    text.line("}");
    text.line("if rank >= {} {{ return; }}", index_literal(taken));
    indices[axis] = "rank";
    const auto offset = [&](const Storage& storage) {
        return offset_of(indices, storage.strides, storage.offset);
    };
    text.store(values, offset(text.storage(values)), here);
    if (group.wants(1)) {
        const Storage places = group.storage(group.output(1));
        text.store(text.operand(places), offset(places), fmt::format("i32({})", own));
    }
    group.add(std::move(text).finish());
    return {};
}

Result<void> lower_cum_sum(GroupLowering& group) {
    KernelText text(64);
    const Sizes sizes = group.sizes(group.input(0));
    const std::size_t axis = TRY(searched_axis(group, integers(*group.constant(group.input(1)))[0]));
    const bool backward = group.attributes().flag("reverse"),
               exclusive = group.attributes().flag("exclusive");
    const ElementType element = group.element(group.input(0));
    const Storage from = group.storage(group.input(0));
    const OperandId x = text.operand(from);
    Elements elements(group, text, group.output());
    Rows rows(text, sizes, {axis});
    text.line("var sum = {};", is_float(element) ? "0.0f" : "0");
    rows.each([&] {
        std::vector<std::string> indices = rows.indices();
        if (backward)
            indices[axis] = text.let(fmt::format("{} - {}", index_literal(sizes[axis] - 1), indices[axis]));
        const std::string next =
            text.let("sum + " + text.load(x, offset_of(indices, from.strides, from.offset)));
        elements.store_at(indices, rounded(element, exclusive ? "sum" : next));
        text.line("sum = {};", next);
    });
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
