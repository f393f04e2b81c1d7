#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/slice.hpp>

namespace muster::graph {
namespace {

constexpr std::int64_t to_the_end = std::int64_t{1} << 30;

/// The size of an axis that isn't a number.
Dimension symbolic_size(const Dimension& size, const Dimension& start, const Dimension& end,
                        const Dimension& step) {
    const bool from_begin = start == Dimension(0) && step == Dimension(1);
    if (from_begin && (end == size || (end.is_number() && end.number() >= to_the_end))) return size;
    return Dimension::unknown();
}

Result<Dimension> sliced_size(const Dimension& size, const Dimension& start, const Dimension& end,
                              const Dimension& step) {
    if (step == Dimension(0)) return wrong("Its step is 0.");
    const bool numbers = size.is_number() && start.is_number() && end.is_number() && step.is_number();
    if (!numbers) return symbolic_size(size, start, end, step);
    return slice_axis(size.number(), start.number(), end.number(), step.number()).count;
}

}  // namespace

SliceAxis slice_axis(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (size == 0) return {0, step, 0};
    const auto from_begin = [&](std::int64_t position) {
        position = std::clamp(position, -size - 1, size);
        return position < 0 ? position + size : position;  // -1: before the first
    };
    step = std::clamp(step, -size - 1, size + 1);
    if (step > 0) {
        start = std::clamp<std::int64_t>(from_begin(start), 0, size);
        end = std::clamp<std::int64_t>(from_begin(end), 0, size);
        return {start, step, end > start ? (end - start + step - 1) / step : 0};
    }
    start = std::clamp<std::int64_t>(from_begin(start), 0, size - 1);
    end = std::clamp<std::int64_t>(from_begin(end), -1, size - 1);
    return {start, step, start > end ? (start - end - step - 1) / -step : 0};
}

Result<void> infer_slice(Inference& node) {
    const std::size_t count = TRY(node.known_length(1));
    for (std::size_t i = 2; i < node.input_count(); ++i) {
        if (node.has(i) && TRY(node.known_length(i)) != count) {
            return wrong(
                fmt::format("{}, and must have {} elements as starts has.", node.describe(i), count));
        }
    }
    Shape shape = node.shape(0);
    if (node.has(3) && !node.contents(3)) {
        node.set_shape(0, Shape(shape.size(), Dimension::unknown()));
        return {};
    }
    std::vector<std::int64_t> axes(count);
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3)) axes = TRY(node.numbers(3));
    TRY(axis_indices(axes, shape.size()));
    const auto item = [&](std::size_t input, std::size_t at) {
        return node.contents(input) ? (*node.contents(input))[at] : Dimension::unknown();
    };
    for (std::size_t i = 0; i < count; ++i) {
        Dimension& size = shape[TRY(axis_index(axes[i], shape.size()))];
        size = TRY(sliced_size(size, item(1, i), item(2, i), node.has(4) ? item(4, i) : Dimension(1)));
    }
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace muster::graph
