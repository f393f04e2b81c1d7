#include <limits>
#include <utility>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/row_kernels.hpp>
#include <muster/graph/kernels/tile.hpp>

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
    const std::size_t axis = TRY(searched_axis(group, group.attributes().integer("axis")));
    const ElementType element = group.element(group.input(0));
    const bool of_floats = is_float(element), is_last = group.attributes().flag("select_last_index");
    // Below anything, at the first index: so it is right also where nothing is larger.
    const double least = of_floats ? -std::numeric_limits<double>::infinity() : INT32_MIN;
    const auto line = [](KernelText& text, const std::string& takes, const std::string& end,
                         const std::string& value, const std::string& number) {
        text.line("if {0} {{ largest{1} = {2}; best{1} = {3}; }}", takes, end, value, number);
    };
    Fold fold{.parts = {{"largest", of_floats ? ElementType::f32 : ElementType::i32, least},
                        {"best", ElementType::i32}}};
    fold.take = [=](KernelText& text, const std::string& end, const std::string& x,
                    const std::string& number) {
        const std::string largest = "largest" + end;
        line(text, is_last ? "!" + is_below(of_floats, x, largest) : is_below(of_floats, largest, x), end, x,
             fmt::format("i32({})", number));
    };
    fold.merge = [=](KernelText& text, const std::string& into, const std::string& from) {
        const std::string here = "largest" + into, there = "largest" + from;
        line(text,
             fmt::format("{} || (!{} && best{} {} best{})", is_below(of_floats, here, there),
                         is_below(of_floats, there, here), from, is_last ? ">" : "<", into),
             into, there, "best" + from);
    };
    RowOperation operation{.folds = {std::move(fold)}};
    operation.row = [&](KernelText& text, RowPlace at) {
        if (!group.attributes().flag("keepdims")) at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
        Elements(group, text, group.output()).store_at(at, "best");
    };
    lower_rows(group, {axis}, operation);
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

namespace {

/// The kernels of a cumulative sum. Rows of several blocks have three: one sums the blocks, one the blocks
/// before each, and one writes the elements.
class CumSum {
  public:
    CumSum(GroupLowering& group, std::size_t axis)
        : group_(group), axis_(axis), from_(group.storage(group.input(0))), outer_(from_.sizes) {
        length_ = std::exchange(outer_[axis], 1);
        blocks_ = tiles(length_, cumulative_block);
        starts_ = Storage::row_major(is_float(from_.element) ? ElementType::f32 : ElementType::i32,
                                     {product(outer_) * std::max<std::int64_t>(blocks_, 1)});
    }

    void write() {
        if (blocks_ > 1) {
            starts_.place = group_.scratch(starts_.count() * 4);
            sum_blocks();
            sum_before();
        }
        KernelText text(32);
        Elements elements(group_, text, group_.output());
        begin(text);
        if (blocks_ > 1) text.line("let before = {};", text.load(text.operand(starts_), "i"));
        const bool exclusive = group_.attributes().flag("exclusive");
        each(text, [&](const std::vector<std::string>& at, const std::string& x) {
            if (!exclusive) text.line("sum = sum + {};", x);
            elements.store_at(at, rounded(from_.element, blocks_ > 1 ? "before + sum" : "sum"));
            if (exclusive) text.line("sum = sum + {};", x);
        });
        group_.add(std::move(text).finish());
    }

  private:
    std::string zero() const { return is_float(from_.element) ? "0.0f" : "0"; }

    /// An invocation for each block of each row: the row is number i / blocks.
    void begin(KernelText& text) {
        text.each(product(outer_) * blocks_);
        row_ =
            text.indices_of(fmt::format("i / {}", index_literal(std::max<std::int64_t>(blocks_, 1))), outer_);
        text.line("var sum = {};", zero());
    }
    template <class Step>
    void each(KernelText& text, Step&& step) {
        const std::string last = index_literal(length_);
        text.line("let first = i % {} * {}u;", index_literal(std::max<std::int64_t>(blocks_, 1)),
                  cumulative_block);
        text.line("for (var k = first; k < min(first + {}u, {}); k++) {{", cumulative_block, last);
        std::vector<std::string> at = row_;
        at[axis_] = group_.attributes().flag("reverse")
                        ? text.let(fmt::format("{} - k", index_literal(length_ - 1)))
                        : "k";
        step(at, text.let(text.load(text.operand(from_), offset_of(at, from_.strides, from_.offset))));
        text.line("}");
    }

    void sum_blocks() {
        KernelText text(32);
        begin(text);
        each(text, [&](const auto&, const std::string& x) { text.line("sum = sum + {};", x); });
        text.store(text.operand(starts_), "i", "sum");
        group_.add(std::move(text).finish());
    }

    /// Replaces the blocks' sums by the sums of those before each.
    void sum_before() {
        KernelText text(32);
        const OperandId starts = text.operand(starts_);
        text.each(product(outer_));
        text.line("var sum = {};", zero());
        text.line("for (var b = 0u; b < {}; b++) {{", index_literal(blocks_));
        const std::string at = text.let(fmt::format("i * {} + b", index_literal(blocks_)));
        const std::string next = text.let("sum + " + text.load(starts, at));
        text.store(starts, at, "sum");
        text.line("sum = {};", next);
        text.line("}");
        group_.add(std::move(text).finish());
    }

    GroupLowering& group_;
    std::size_t axis_;
    Storage from_, starts_;
    Sizes outer_;
    std::int64_t length_ = 0, blocks_ = 0;
    std::vector<std::string> row_;
};

}  // namespace

Result<void> lower_cum_sum(GroupLowering& group) {
    CumSum(group, TRY(searched_axis(group, integers(*group.constant(group.input(1)))[0]))).write();
    return {};
}

}  // namespace muster::graph
