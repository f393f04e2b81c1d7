#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {
namespace {

template <class To, class From>
std::vector<To> converted(const Tensor& tensor) {
    const std::vector<From> values = tensor.values<From>();
    return {values.begin(), values.end()};
}

}  // namespace

Result<std::int64_t> checked_element_count(std::span<const std::int64_t> sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0) {
            return fail(ErrorCode::invalid_argument, fmt::format("A tensor's size of {} is negative.", size));
        }
        if (size > max_elements) count = max_elements + 1;
        if (count <= max_elements)
            count *= std::min(size, max_elements / std::max<std::int64_t>(count, 1) + 1);
    }
    if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
    if (count > max_elements) {
        return fail(ErrorCode::limit_exceeded, fmt::format("A tensor of [{}] has more than {} elements.",
                                                           fmt::join(sizes, ", "), max_elements));
    }
    return count;
}

Result<Tensor> Tensor::over(ElementType element, std::vector<std::int64_t> sizes, SharedBytes bytes) {
    const std::int64_t count = TRY(checked_element_count(sizes));
    const std::size_t needed = static_cast<std::size_t>(count) * bytes_of(element);
    if (bytes.count != needed) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A tensor {}[{}] takes {} bytes, and its data has {}.", name(element),
                                fmt::join(sizes, ", "), needed, bytes.count));
    }
    Tensor tensor;
    tensor.element_ = element;
    tensor.sizes_ = std::move(sizes);
    tensor.count_ = count;
    tensor.bytes_ = std::move(bytes);
    return tensor;
}

Tensor Tensor::own(ElementType element, std::vector<std::int64_t> sizes, std::vector<std::byte> bytes) {
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return *over(element, std::move(sizes), {{owner, owner->data()}, owner->size()});
}

SharedBytes Tensor::zero() {
    static constexpr std::byte bytes[4]{};
    return {{std::shared_ptr<void>{}, bytes}, sizeof bytes};
}

TensorType Tensor::type() const { return {element_, Shape(sizes_.begin(), sizes_.end())}; }

bool operator==(const Tensor& a, const Tensor& b) {
    return a.element_ == b.element_ && a.sizes_ == b.sizes_ &&
           (a.bytes_.data == b.bytes_.data || std::ranges::equal(a.bytes(), b.bytes()));
}

std::vector<std::int64_t> integers(const Tensor& tensor) {
    switch (tensor.element()) {
        case ElementType::i8: return converted<std::int64_t, std::int8_t>(tensor);
        case ElementType::u8:
        case ElementType::boolean: return converted<std::int64_t, std::uint8_t>(tensor);
        case ElementType::i32: return converted<std::int64_t, std::int32_t>(tensor);
        case ElementType::i64: return tensor.values<std::int64_t>();
        case ElementType::f32:
        case ElementType::f16: break;
    }
    return {};
}

std::vector<float> floats(const Tensor& tensor) {
    if (tensor.element() == ElementType::f32) return tensor.values<float>();
    if (tensor.element() == ElementType::f16) return converted<float, f16>(tensor);
    return {};
}

}  // namespace muster::graph
