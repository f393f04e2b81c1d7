#include <array>

#include <muster/graph/kernels/rows.hpp>

namespace muster::graph {

Rows::Rows(KernelText& text, const Sizes& sizes, std::vector<std::size_t> axes)
    : text_(text), sizes_(sizes), axes_(std::move(axes)) {
    Sizes outer = sizes;
    for (const std::size_t axis : axes_) {
        length_ *= sizes[axis];
        outer[axis] = 1;
    }
    text_.each(product(outer));
    indices_ = text_.indices_of("i", outer);
}

void Rows::begin() {
    for (const std::size_t axis : axes_) {
        const std::string index = fmt::format("r{}", axis);
        text_.line("for (var {0} = 0u; {0} < {1}; {0}++) {{", index, index_literal(sizes_[axis]));
        indices_[axis] = index;
    }
}

void Rows::end() {
    for (const std::size_t axis : axes_) {
        text_.line("}");
        indices_[axis] = "0u";
    }
}

std::string Rows::load(OperandId operand) const {
    const Storage& storage = text_.storage(operand);
    return text_.load(operand, offset_of(indices_, storage.strides, storage.offset));
}

}  // namespace muster::graph
