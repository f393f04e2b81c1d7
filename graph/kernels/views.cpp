#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/slice.hpp>
#include <muster/graph/kernel_text/kernel_text.hpp>
#include <muster/graph/kernels/views.hpp>

namespace muster::graph {
namespace {

Storage transposed(const Attributes& attributes, const Storage& input, Storage view) {
    const auto perm = attributes.integers("perm");
    for (std::size_t i = 0; i < view.sizes.size(); ++i) {
        const std::size_t from = perm.empty() ? view.sizes.size() - 1 - i : static_cast<std::size_t>(perm[i]);
        view.strides[i] = input.strides[from];
    }
    return view;
}

Result<Storage> sliced(const Graph& graph, NodeId node, const Storage& input, Storage view) {
    const auto numbers = [&](std::size_t i) {
        return integers(*graph.value(graph.inputs(node)[i]).constant);
    };
    const auto has = [&](std::size_t i) { return i < graph.inputs(node).size() && graph.inputs(node)[i]; };
    const auto starts = numbers(1), ends = numbers(2);
    Sizes axes(starts.size()), steps(starts.size(), 1);
    std::iota(axes.begin(), axes.end(), 0);
    if (has(3)) axes = numbers(3);
    if (has(4)) steps = numbers(4);
    view.strides = input.strides;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = TRY(axis_index(axes[i], input.sizes.size()));
        const SliceAxis taken = slice_axis(input.sizes[axis], starts[i], ends[i], steps[i]);
        if (taken.count > 0) view.offset += taken.start * input.strides[axis];
        view.strides[axis] *= taken.step;
    }
    return view;
}

Result<Storage> part(const Graph& graph, NodeId node, std::size_t output, const Storage& input,
                     Storage view) {
    const std::size_t axis = TRY(axis_index(graph.attributes(node).integer("axis"), input.sizes.size()));
    view.strides = input.strides;
    for (std::size_t i = 0; i < output; ++i) {
        if (const ValueId before = graph.outputs(node)[i])
            view.offset += graph.value(before).type.shape[axis].number() * input.strides[axis];
    }
    return view;
}

}  // namespace

/// The axes of both sides are cut into runs of equal products; each run of the input must
/// be contiguous in itself.
std::optional<Storage> reshaped(const Storage& input, const Sizes& sizes) {
    Storage view = input;
    view.sizes = sizes;
    view.strides = row_major_strides(sizes);
    if (product(view.sizes) == 0) return view;
    std::size_t from = 0, to = 0;
    const auto next = [](const Sizes& sizes, std::size_t i) { return i < sizes.size() ? sizes[i] : 1; };
    while (from < input.sizes.size() || to < view.sizes.size()) {
        const std::size_t first_from = from, first_to = to;
        std::int64_t have = next(input.sizes, from++), want = next(view.sizes, to++);
        while (have != want) {
            if (have < want)
                have *= next(input.sizes, from++);
            else
                want *= next(view.sizes, to++);
        }
        std::int64_t stride = 0;            // of the innermost axis that isn't 1
        std::optional<std::int64_t> outer;  // what the stride of the axis around must be
        for (std::size_t i = std::min(from, input.sizes.size()); i-- > first_from;) {
            if (input.sizes[i] == 1) continue;
            if (!outer)
                stride = input.strides[i];
            else if (input.strides[i] != *outer)
                return std::nullopt;
            outer = input.strides[i] * input.sizes[i];
        }
        for (std::size_t i = std::min(to, view.sizes.size()); i-- > first_to; stride *= view.sizes[i])
            view.strides[i] = stride;
    }
    return view;
}

Result<std::optional<Storage>> view_of(const Graph& graph, NodeId node, std::size_t output,
                                       const Storage& input) {
    const Operator op = graph.node(node).op;
    const TensorType& type = graph.value(graph.outputs(node)[output]).type;
    Storage view = Storage::row_major(type.element, *known_sizes(type.shape), input.place);
    view.offset = input.offset;
    view.zero_count = input.zero_count;
    if (op == Operator::identity || op == Operator::dropout) {
        if (output > 0) return std::nullopt;  // Dropout's mask
        return input;
    }
    if (op == Operator::transpose) return transposed(graph.attributes(node), input, std::move(view));
    if (op == Operator::slice) return TRY(sliced(graph, node, input, std::move(view)));
    if (op == Operator::split) return TRY(part(graph, node, output, input, std::move(view)));
    if (op == Operator::expand) return broadcast_to(input, view.sizes);
    if (op == Operator::reshape || op == Operator::flatten || op == Operator::squeeze ||
        op == Operator::unsqueeze)
        return reshaped(input, view.sizes);
    return fail(ErrorCode::unsupported, "No view tells where the elements of its output lie.");
}

}  // namespace muster::graph
