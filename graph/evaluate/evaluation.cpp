#include <algorithm>

#include <fmt/format.h>

#include <muster/graph/evaluate/evaluation.hpp>

namespace muster::graph {
namespace {

template <class T, class From>
Tensor converted(ElementType element, Sizes sizes, const std::vector<From>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return Tensor::own(element, std::move(sizes), std::move(bytes));
}

Sizes numbers(const Shape& shape) {
    Sizes sizes;
    for (const Dimension& dimension : shape) sizes.push_back(dimension.number());
    return sizes;
}

}  // namespace

std::unexpected<Error> no_evaluation(const Evaluation& node) {
    return fail(ErrorCode::unsupported,
                fmt::format("The evaluator doesn't know what {} computes.", info(node.op()).name));
}

Evaluation::Evaluation(Operator op, const Attributes& attributes, std::span<const Tensor* const> inputs,
                       std::vector<TensorType> types)
    : op_(op), attributes_(attributes), inputs_(inputs), types_(std::move(types)), outputs_(types_.size()) {
    for (const TensorType& type : types_) sizes_.push_back(numbers(type.shape));
}

std::size_t Evaluation::output_elements(std::size_t at) const {
    return static_cast<std::size_t>(product(sizes_[at]));
}

void Evaluation::set(std::size_t output, const Floats& values) {
    if (output < outputs_.size()) outputs_[output] = stored(types_[output].element, sizes_[output], values);
}
void Evaluation::set(std::size_t output, const Integers& values) {
    if (output < outputs_.size()) outputs_[output] = stored(types_[output].element, sizes_[output], values);
}

Tensor stored(ElementType element, Sizes sizes, const Floats& values) {
    return element == ElementType::f16 ? converted<f16>(element, std::move(sizes), values)
                                       : converted<float>(element, std::move(sizes), values);
}

Tensor stored(ElementType element, Sizes sizes, const Integers& values) {
    switch (element) {
        case ElementType::i8: return converted<std::int8_t>(element, std::move(sizes), values);
        case ElementType::u8: return converted<std::uint8_t>(element, std::move(sizes), values);
        case ElementType::i32: return converted<std::int32_t>(element, std::move(sizes), values);
        case ElementType::i64: return converted<std::int64_t>(element, std::move(sizes), values);
        case ElementType::boolean: return converted<std::uint8_t>(element, std::move(sizes), values);
        case ElementType::f16:
        case ElementType::f32: break;
    }
    return stored(element, std::move(sizes), Floats(values.begin(), values.end()));
}

bool advance(Sizes& index, const Sizes& sizes) {
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (++index[i] < sizes[i]) return true;
        index[i] = 0;
    }
    return false;
}

std::int64_t offset_of(const Sizes& index, const Sizes& strides) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    return offset;
}

std::vector<std::size_t> broadcast_offsets(const Sizes& from, const Sizes& to) {
    Sizes strides(to.size(), 0);
    const Sizes plain = row_major_strides(from);
    for (std::size_t i = 0; i < from.size(); ++i) {
        strides[to.size() - from.size() + i] = from[i] == 1 ? 0 : plain[i];
    }
    std::vector<std::size_t> offsets(static_cast<std::size_t>(product(to)));
    if (offsets.empty()) return offsets;
    // The offsets of a block, of the last axes, are those of each further block of the axis before
    // them, moved by its stride.
    std::size_t block = 1;
    for (std::size_t axis = to.size(); axis-- > 0;) {
        const auto count = static_cast<std::size_t>(to[axis]),
                   stride = static_cast<std::size_t>(strides[axis]);
        for (std::size_t k = 1; k < count; ++k) {
            for (std::size_t i = 0; i < block; ++i) offsets[k * block + i] = offsets[i] + k * stride;
        }
        block *= count;
    }
    return offsets;
}

}  // namespace muster::graph
