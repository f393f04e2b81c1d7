#include <algorithm>
#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/window.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/row_kernels.hpp>

namespace muster::graph {
namespace {

/// True if all windows along the axis lie within the input.
bool lies_inside(const WindowAxis& axis) {
    return axis.pad_begin == 0 &&
           (axis.output.number() - 1) * axis.stride + axis.extent() <= axis.input.number();
}

/// True if all windows along the axis have an element of the input, and the nearest one to each of their
/// positions is among theirs.
bool has_nearest(const WindowAxis& axis) {
    return lies_inside(axis) ||
           (axis.dilation == 1 && axis.pad_begin < axis.kernel &&
            (axis.output.number() - 1) * axis.stride - axis.pad_begin < axis.input.number());
}

/// Pools a tensor [N, C, ...]: loops over a window. One invocation makes one output.
class PoolKernel {
  public:
    PoolKernel(GroupLowering& group, std::vector<WindowAxis> axes)
        : group_(group),
          axes_(std::move(axes)),
          x_(text_.operand(group.storage(group.input(0)))),
          elements_(group, text_, group.output()) {
        text_.each_element(std::array{elements_.inner()}, elements_.inner(), &indices_);
    }

    void average(bool with_padding) {
        text_.line("var total = 0.0f;");
        text_.line("var count = 0u;");
        window(
            [&](const std::string& x) {
                text_.line("total = total + {};", x);
                if (!with_padding) text_.line("count++;");
            },
            with_padding);
        store("total / f32(count)");
    }

    /// The first of the largest, and where it is in the input. A NaN counts only if all are.
    void maximum() {
        if (!group_.wants(1) && std::ranges::all_of(axes_, has_nearest)) return largest_of_nearest();
        const bool of_floats = is_float(group_.element(group_.input(0)));
        const bool wants_where = group_.wants(1);
        const ElementType element = group_.element(group_.input(0));
        if (of_floats)
            text_.line("var largest = {};", literal(-std::numeric_limits<float>::infinity(), text_));
        else
            text_.line("var largest = {};", element == ElementType::u8 ? 0 : -128);
        text_.line("var is_found = false;");
        if (wants_where) text_.line("var place = -1;");
        window(
            [&](const std::string& x) {
                const std::string value = text_.let(x);
                text_.line("if !is_found || {} {{", is_larger(value));
                text_.line("largest = {};", value);
                text_.line("is_found = true;");
                if (wants_where) text_.line("place = {};", place());
                text_.line("}");
            },
            false);
        if (wants_where) store_place();
        store("largest");
    }

    /// GlobalMaxPool's, of a window that may have no element.
    void greatest() {
        const bool is_empty =
            std::ranges::any_of(axes_, [](const WindowAxis& axis) { return axis.kernel == 0; });
        text_.line("var largest = {};", literal(is_empty ? -std::numeric_limits<float>::infinity()
                                                         : std::numeric_limits<float>::quiet_NaN(),
                                                text_));
        window([&](const std::string& x) { take_larger(x); }, false);
        store("largest");
    }

  private:
    /// True if `value` is taken instead of what there is.
    std::string is_larger(std::string_view value) const {
        if (!is_float(group_.element(group_.input(0)))) return fmt::format("({} > largest)", value);
        return fmt::format("(({0} > largest) | ((largest != largest) & ({0} == {0})))", value);
    }
    void take_larger(const std::string& x) {
        const std::string value = text_.let(x);
        text_.line("largest = select(largest, {}, {});", value, is_larger(value));
    }

    /// maximum() without branches: positions outside of the input are read as the nearest inside,
    /// which is in the window, too.
    void largest_of_nearest() {
        const std::vector<std::string> first(axes_.size(), "0u");
        text_.line("var largest = {};", element_at(first));
        loop_over_window();
        std::vector<std::string> step;
        for (std::size_t i = 0; i < axes_.size(); ++i) step.push_back(fmt::format("k{}", i));
        take_larger(element_at(step));
        end_loops();
        store("largest");
    }

    /// The element of the input that is nearest to these steps of the window.
    std::string element_at(std::span<const std::string> steps) {
        const Storage& x = text_.storage(x_);
        std::vector<std::string> at{indices_[0], indices_[1]};
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const WindowAxis& axis = axes_[i];
            const std::string padded =
                fmt::format("{} * {} + {} * {}", indices_[i + 2], index_literal(axis.stride), steps[i],
                            index_literal(axis.dilation));
            at.push_back(text_.let(lies_inside(axis) ? padded
                                                     : fmt::format("min(max({0}, {1}) - {1}, {2})", padded,
                                                                   index_literal(axis.pad_begin),
                                                                   index_literal(axis.input.number() - 1))));
        }
        return text_.load(x_, offset_of(at, x.strides, x.offset));
    }

    void loop_over_window() {
        for (std::size_t i = 0; i < axes_.size(); ++i)
            text_.line("for (var k{0} = 0u; k{0} < {1}; k{0}++) {{", i, index_literal(axes_[i].kernel));
    }
    void end_loops() {
        for (std::size_t i = 0; i < axes_.size(); ++i) text_.line("}");
    }

    void store(const std::string& value) {
        elements_.store_at(indices_, rounded(group_.element(group_.output()), value));
        group_.add(std::move(text_).finish());
    }

    /// The position within the plane, in row-major order, or in column-major order where
    /// storage_order asks for it.
    std::string place() const {
        const bool columns = group_.attributes().integer("storage_order") == 1;
        std::string result;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const std::size_t axis = columns ? axes_.size() - 1 - i : i;
            result = result.empty()
                         ? fmt::format("i32(at{})", axis)
                         : fmt::format("({}) * {} + i32(at{})", result, axes_[axis].input.number(), axis);
        }
        return result;
    }

    void store_place() {
        const Storage storage = group_.storage(group_.output(1));
        const OperandId to = text_.operand(storage);
        std::int64_t plane = 1;
        for (const WindowAxis& axis : axes_) plane *= axis.input.number();
        text_.store(to, offset_of(indices_, storage.strides, storage.offset),
                    fmt::format("i32({} * {} + {}) * {} + place", indices_[0],
                                index_literal(group_.sizes(group_.input(0))[1]), indices_[1], plane));
    }

    /// Loops over the window in row-major order; `step` gets each element inside. `counts_padding`: counts
    /// positions inside or in the padding.
    template <class Step>
    void window(Step&& step, bool counts_padding) {
        const Storage& x = text_.storage(x_);
        std::string inside;
        loop_over_window();
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const WindowAxis& axis = axes_[i];
            text_.line("let at{0} = {1} * {2} + k{0} * {3} - {4};", i, indices_[i + 2],
                       index_literal(axis.stride), index_literal(axis.dilation),
                       index_literal(axis.pad_begin));
            if (counts_padding) {
                text_.line("let is_counted{0} = at{0} + {1} < {2};", i, index_literal(axis.pad_begin),
                           index_literal(axis.pad_begin + axis.input.number() + axis.pad_end));
            }
            if (lies_inside(axis)) continue;
            // Wraps below 0. A window may also reach beyond the padding (ceil_mode).
            inside += fmt::format("{}at{} < {}", inside.empty() ? "" : " && ", i,
                                  index_literal(axis.input.number()));
        }
        if (counts_padding) {
            std::string counted;
            for (std::size_t i = 0; i < axes_.size(); ++i)
                counted += fmt::format("{}is_counted{}", counted.empty() ? "" : " && ", i);
            text_.line("if {} {{ count++; }}", counted.empty() ? "true" : counted);
        }
        text_.line("if {} {{", inside.empty() ? "true" : inside);
        std::vector<std::string> at{indices_[0], indices_[1]};
        for (std::size_t i = 0; i < axes_.size(); ++i) at.push_back(fmt::format("at{}", i));
        step(text_.load(x_, offset_of(at, x.strides, x.offset)));
        text_.line("}");
        end_loops();
    }

    GroupLowering& group_;
    std::vector<WindowAxis> axes_;
    KernelText text_;
    OperandId x_;
    Elements elements_;
    std::vector<std::string> indices_;
};

/// The whole of each plane as one window.
std::vector<WindowAxis> whole_planes(const Sizes& sizes) {
    std::vector<WindowAxis> axes;
    for (std::size_t i = 2; i < sizes.size(); ++i)
        axes.push_back({.kernel = sizes[i], .input = sizes[i], .output = 1});
    return axes;
}

Result<std::vector<WindowAxis>> windows(const GroupLowering& group) {
    const Sizes x = group.sizes(group.input(0));
    const std::vector<Dimension> input(x.begin() + 2, x.end());
    return window_of(group.attributes(), input, group.attributes().integers("kernel_shape"),
                     group.attributes().flag("ceil_mode"));
}

}  // namespace

Result<void> lower_max_pool(GroupLowering& group) {
    PoolKernel(group, TRY(windows(group))).maximum();
    return {};
}

Result<void> lower_average_pool(GroupLowering& group) {
    PoolKernel(group, TRY(windows(group))).average(group.attributes().flag("count_include_pad"));
    return {};
}

Result<void> lower_global_average_pool(GroupLowering& group) {
    const Sizes sizes = group.sizes(group.input(0));
    std::vector<std::size_t> axes(sizes.size() - 2);
    std::iota(axes.begin(), axes.end(), std::size_t{2});
    const std::int64_t count = product({sizes.begin() + 2, sizes.end()});
    RowOperation operation{.folds = {sum_fold("total", "{0}")}};
    operation.row = [&](KernelText& text, const RowPlace& at) {
        const std::string mean = fmt::format("total / {}", literal(static_cast<float>(count), text));
        Elements(group, text, group.output()).store_at(at, rounded(group.element(group.output()), mean));
    };
    lower_rows(group, axes, operation);
    return {};
}

Result<void> lower_global_max_pool(GroupLowering& group) {
    PoolKernel(group, whole_planes(group.sizes(group.input(0)))).greatest();
    return {};
}

}  // namespace muster::graph
