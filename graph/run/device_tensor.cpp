#include <cstring>

#include <fmt/format.h>

#include <muster/foundation/base/words.hpp>
#include <muster/graph/run/device_tensor.hpp>

namespace muster::graph {
namespace {

template <class To, class From>
std::vector<std::byte> converted(std::span<const From> values) {
    std::vector<std::byte> bytes(values.size() * sizeof(To));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const To value = static_cast<To>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
    }
    return bytes;
}

}  // namespace

Result<std::vector<std::byte>> to_device(const Tensor& tensor) {
    if (is_stored_as_is(tensor.element())) return std::vector(tensor.bytes().begin(), tensor.bytes().end());
    const std::vector<std::int64_t> values = integers(tensor);
    for (const std::int64_t value : values) {
        if (value < INT32_MIN || value > INT32_MAX) {
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("It holds {}, and devices compute 64-bit integers with 32 bits.", value));
        }
    }
    return converted<std::int32_t>(std::span<const std::int64_t>(values));
}

Tensor from_device(ElementType element, std::vector<std::int64_t> sizes, std::vector<std::byte> bytes) {
    if (is_stored_as_is(element)) return Tensor::own(element, std::move(sizes), std::move(bytes));
    const auto values = words_in<std::int32_t>(bytes);
    const std::span<const std::int32_t> all(values);
    if (element == ElementType::i64)
        return Tensor::own(element, std::move(sizes), converted<std::int64_t>(all));
    return Tensor::own(element, std::move(sizes), converted<std::uint8_t>(all));
}

}  // namespace muster::graph
