// device_tensor.hpp - tensors as a device's buffers hold them (storage.hpp), and back. Internal to graph/run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

/// True if the device's bytes are the tensor's own.
constexpr bool is_stored_as_is(ElementType element) {
    return is_float(element) || element == ElementType::i32;
}
/// The bytes of an element on a device.
constexpr std::uint64_t device_bytes(ElementType element) { return element == ElementType::f16 ? 2 : 4; }
/// The row-major elements as a device's buffer holds them. Errors: limit_exceeded (an i64
/// that doesn't fit 32 bits).
Result<std::vector<std::byte>> to_device(const Tensor& tensor);
/// The tensor whose row-major elements a device's buffer holds.
Tensor from_device(ElementType element, std::vector<std::int64_t> sizes, std::vector<std::byte> bytes);

}  // namespace muster::graph
