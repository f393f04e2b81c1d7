#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/copy.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

/// Indices counted from 0, negative ones from the end. Errors: out of bounds.
Result<std::int64_t> index_within(std::int64_t index, std::int64_t size) {
    if (index >= -size && index < size) return index < 0 ? index + size : index;
    return wrong(fmt::format("The index {} is out of bounds of an axis of {} elements.", index, size));
}

Result<Integers> indices_within(const Evaluation& node, std::int64_t size) {
    Integers indices = node.integers(1);
    for (std::int64_t& index : indices) index = TRY(index_within(index, size));
    return indices;
}

Result<void> gather(Evaluation& node) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes),
                index_strides = row_major_strides(node.sizes(1));
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), sizes.size()));
    const Integers indices = TRY(indices_within(node, sizes[axis]));
    const auto first = static_cast<std::ptrdiff_t>(axis),
               last = first + static_cast<std::ptrdiff_t>(index_strides.size());
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        const Sizes inner(index.begin() + first, index.begin() + last);
        Sizes at(index.begin(), index.begin() + first);
        at.push_back(indices[static_cast<std::size_t>(offset_of(inner, index_strides))]);
        at.insert(at.end(), index.begin() + last, index.end());
        return offset_of(at, strides);
    });
    return {};
}

Result<void> gather_elements(Evaluation& node) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes);
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), sizes.size()));
    const Integers indices = TRY(indices_within(node, sizes[axis]));
    std::size_t next = 0;
    copy_elements(node, 0, node.input(0), [&](Sizes index) {
        index[axis] = indices[next++];
        return offset_of(index, strides);
    });
    return {};
}

/// The offset of the slice that each of the indices names: its last axis holds positions on
/// the axes from `batch` on.
Result<Integers> slice_offsets(const Evaluation& node, std::size_t batch) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes), of_indices = node.sizes(1);
    const Integers indices = node.integers(1);
    const auto length = static_cast<std::size_t>(of_indices.back());
    const Sizes outer(of_indices.begin(), of_indices.end() - 1);
    Integers offsets;
    Sizes at(outer.size());
    for (std::size_t first = 0; first < indices.size(); first += length, advance(at, outer)) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < batch; ++i) offset += at[i] * strides[i];
        for (std::size_t i = 0; i < length; ++i) {
            offset += TRY(index_within(indices[first + i], sizes[batch + i])) * strides[batch + i];
        }
        offsets.push_back(offset);
    }
    return offsets;
}

Result<void> gather_nd(Evaluation& node) {
    const auto batch = static_cast<std::size_t>(node.attributes().integer("batch_dims"));
    const Integers offsets = TRY(slice_offsets(node, batch));
    const std::int64_t slice =
        offsets.empty() ? 1 : static_cast<std::int64_t>(node.output_elements() / offsets.size());
    std::int64_t next = 0;
    copy_elements(node, 0, node.input(0), [&](const Sizes&) {
        const std::int64_t at = next++;
        return offsets[static_cast<std::size_t>(at / slice)] + at % slice;
    });
    return {};
}

float combined(std::string_view how, float before, float update) {
    if (how == "add") return before + update;
    if (how == "mul") return before * update;
    if (how == "min") return smaller_or_nan(before, update);
    return how == "max" ? greater_or_nan(before, update) : update;
}
std::int64_t combined(std::string_view how, std::int64_t before, std::int64_t update) {
    if (how == "add") return semantics::add(before, update);
    if (how == "mul") return semantics::mul(before, update);
    if (how == "min") return std::min(before, update);
    return how == "max" ? std::max(before, update) : update;
}

/// Updates in the order of the indices; the last of those to one place remains.
template <class T>
void scatter(Evaluation& node, const Integers& offsets, std::vector<T> data, const std::vector<T>& updates) {
    const std::size_t slice = offsets.empty() ? 1 : updates.size() / offsets.size();
    for (std::size_t i = 0; i < updates.size(); ++i) {
        T& place = data[static_cast<std::size_t>(offsets[i / slice]) + i % slice];
        place = combined(node.attributes().text("reduction"), place, updates[i]);
    }
    node.set(0, data);
}

Result<void> scatter_nd(Evaluation& node) {
    const Integers offsets = TRY(slice_offsets(node, 0));
    if (node.of_floats(0))
        scatter(node, offsets, node.floats(0), node.floats(2));
    else
        scatter(node, offsets, node.integers(0), node.integers(2));
    return {};
}

/// An index outside of [-depth, depth) has no place that is on. Indices that are floats are truncated.
Result<void> one_hot(Evaluation& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.output_sizes().size()));
    const std::int64_t depth = node.output_sizes()[axis];
    Integers indices;
    if (node.of_floats(0)) {
        for (const float index : node.floats(0)) {
            indices.push_back(semantics::is_finite(index) && index > -0x1p62f && index < 0x1p62f
                                  ? static_cast<std::int64_t>(index)
                                  : depth);
        }
    } else {
        indices = node.integers(0);
    }
    const Sizes strides = row_major_strides(node.sizes(0));
    copy_elements(node, 0, node.input(2), [&](const Sizes& index) {
        Sizes at = index;
        at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
        const std::int64_t hot = indices[static_cast<std::size_t>(offset_of(at, strides))];
        return std::int64_t{index[axis] == (hot < 0 ? hot + depth : hot)};
    });
    return {};
}

}  // namespace

Result<void> evaluate_gather(Evaluation& node) {
    const Operator op = node.op();
    if (op == Operator::gather) return gather(node);
    if (op == Operator::gather_elements) return gather_elements(node);
    if (op == Operator::gather_nd) return gather_nd(node);
    if (op == Operator::scatter_nd) return scatter_nd(node);
    return op == Operator::one_hot ? one_hot(node) : no_evaluation(node);
}

}  // namespace muster::graph
