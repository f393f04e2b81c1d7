// copy.hpp - outputs whose elements are copies of an input's, whatever their type. Internal to
// graph/evaluate.
#pragma once

#include <cstring>

#include <muster/graph/evaluate/evaluation.hpp>

namespace muster::graph {

/// Output `output`, each of whose elements is that of `from` at source(index), the index row-major; -1: the
/// first of `otherwise`, or 0 where that is null.
template <class Source>
void copy_elements(Evaluation& node, std::size_t output, const Tensor& from, Source&& source,
                   const Tensor* otherwise = nullptr) {
    const std::size_t width = bytes_of(from.element());
    const Sizes& sizes = node.output_sizes(output);
    std::vector<std::byte> bytes(node.output_elements(output) * width);
    Sizes index(sizes.size());
    for (std::size_t at = 0; at < bytes.size(); at += width, advance(index, sizes)) {
        const std::int64_t element = source(index);
        if (element >= 0)
            std::memcpy(bytes.data() + at, from.bytes().data() + static_cast<std::size_t>(element) * width,
                        width);
        else if (otherwise)
            std::memcpy(bytes.data() + at, otherwise->bytes().data(), width);
    }
    node.set(output, Tensor::own(from.element(), sizes, std::move(bytes)));
}

}  // namespace muster::graph
