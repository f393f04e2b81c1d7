#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/evaluate/windows.hpp>

namespace muster::graph {
namespace {

/// The offset within a plane in column-major order, which storage_order = 1 asks for.
std::int64_t column_major(std::int64_t offset, const Sizes& sizes) {
    if (offset < 0) return offset;  // of a window that has only padding
    std::int64_t result = 0, scale = 1;
    Sizes index(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0; offset /= sizes[i]) index[i] = offset % sizes[i];
    for (std::size_t i = 0; i < sizes.size(); scale *= sizes[i++]) result += index[i] * scale;
    return result;
}

/// Calls step(plane, output index) for each output.
template <class Step>
void for_outputs(const Evaluation& node, Step&& step) {
    const Sizes output = spatial(node.output_sizes());
    for (std::int64_t plane = 0;
         plane < node.output_sizes()[0] * node.output_sizes()[1] && product(output) > 0; ++plane) {
        Sizes at(output.size());
        do step(plane, at);
        while (advance(at, output));
    }
}

/// True if a pool takes `value` instead of what it has: a NaN only if all are.
template <class T>
bool is_larger(T value, T largest) {
    return value > largest || (largest != largest && value == value);
}

/// The first of the largest, and where it is.
template <class T>
void max_pool(Evaluation& node, const std::vector<T>& x, std::span<const WindowAxis> axes) {
    const Sizes input = spatial(node.sizes(0));
    const std::int64_t plane_elements = product(input);
    const bool columns = node.attributes().integer("storage_order") == 1;
    std::vector<T> result;
    Integers indices;
    for_outputs(node, [&](std::int64_t plane, const Sizes& at) {
        T largest = std::numeric_limits<T>::lowest();
        if constexpr (std::is_same_v<T, float>) largest = -std::numeric_limits<float>::infinity();
        std::int64_t where = -1;
        for_window(axes, at, input, [&](std::size_t, std::size_t i) {
            const T value = x[static_cast<std::size_t>(plane * plane_elements) + i];
            if (where >= 0 && !is_larger(value, largest)) return;
            largest = value;
            where = static_cast<std::int64_t>(i);
        });
        result.push_back(largest);
        indices.push_back(plane * plane_elements + (columns ? column_major(where, input) : where));
    });
    node.set(0, result);
    node.set(1, indices);
}

/// The number of positions of a window that count: those inside, or with the padding, but
/// not beyond it (ceil_mode).
std::int64_t counted(std::span<const WindowAxis> axes, const Sizes& at, bool with_padding) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const WindowAxis& axis = axes[i];
        const std::int64_t low = with_padding ? -axis.pad_begin : 0;
        const std::int64_t high = axis.input.number() + (with_padding ? axis.pad_end : 0);
        std::int64_t here = 0;
        for (std::int64_t k = 0; k < axis.kernel; ++k) {
            const std::int64_t position = at[i] * axis.stride - axis.pad_begin + k * axis.dilation;
            here += position >= low && position < high;
        }
        count *= here;
    }
    return count;
}

void average_pool(Evaluation& node, std::span<const WindowAxis> axes) {
    const Floats x = node.floats(0);
    const Sizes input = spatial(node.sizes(0));
    const bool with_padding = node.attributes().flag("count_include_pad");
    Floats result;
    for_outputs(node, [&](std::int64_t plane, const Sizes& at) {
        float sum = 0;
        for_window(axes, at, input, [&](std::size_t, std::size_t i) {
            sum += x[static_cast<std::size_t>(plane * product(input)) + i];
        });
        result.push_back(sum / static_cast<float>(counted(axes, at, with_padding)));
    });
    node.set(0, result);
}

void global_pool(Evaluation& node) {
    const Floats x = node.floats(0);
    const auto plane = static_cast<std::size_t>(product(spatial(node.sizes(0))));
    const bool averages = node.op() == Operator::global_average_pool;
    Floats result;
    for (std::size_t first = 0; result.size() < node.output_elements(); first += plane) {
        if (averages) {
            const float sum = row_sum(plane, [&](std::size_t i) { return x[first + i]; });
            result.push_back(sum / static_cast<float>(plane));
            continue;
        }
        float largest =
            plane == 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
        for (std::size_t i = first; i < first + plane; ++i)
            if (is_larger(x[i], largest)) largest = x[i];
        result.push_back(largest);
    }
    node.set(0, result);
}

}  // namespace

Result<void> evaluate_pool(Evaluation& node) {
    if (node.op() == Operator::global_average_pool || node.op() == Operator::global_max_pool) {
        global_pool(node);
        return {};
    }
    const std::span<const std::int64_t> kernel = node.attributes().integers("kernel_shape");
    const auto axes = TRY(window_axes(node, spatial(node.sizes(0)), {kernel.begin(), kernel.end()}));
    if (node.op() == Operator::average_pool)
        average_pool(node, axes);
    else if (node.op() != Operator::max_pool)
        return no_evaluation(node);
    else if (node.of_floats(0))
        max_pool(node, node.floats(0), axes);
    else
        max_pool(node, node.integers(0), axes);
    return {};
}

}  // namespace muster::graph
