// tensor.hpp - a tensor's data: element type, sizes, and bytes that are shared, never
// copied, by copies of it.
//
//     const Tensor w = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
//     w.values<float>()[3] == 4;
//     Tensor mapped = *Tensor::over(ElementType::f32, {64, 3, 7, 7}, {file, bytes_in_file});   // keeps `file` alive
//
// Row-major, the last dimension contiguous. Immutable. Threads: values; the bytes must not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/element_type.hpp>
#include <muster/graph/ir/shape.hpp>

namespace muster::graph {

/// Most elements of a tensor: so that products of sizes and byte counts fit 64 bits with room to spare.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 48;

/// The number of elements. Errors: invalid_argument (a negative size), limit_exceeded
/// (more than max_elements).
Result<std::int64_t> checked_element_count(std::span<const std::int64_t> sizes);

/// Bytes with what keeps them alive.
struct SharedBytes {
    std::shared_ptr<const std::byte>
        data;  // may point into what it owns: a file's mapping, a message's field
    std::size_t count = 0;
};

class Tensor {
  public:
    Tensor() = default;  // f32, one element, 0
    /// Errors: those of checked_element_count(), invalid_argument (the bytes aren't as many as
    /// type and sizes ask for).
    static Result<Tensor> over(ElementType element, std::vector<std::int64_t> sizes, SharedBytes bytes);
    /// Takes the bytes. Precondition: their number is right.
    static Tensor own(ElementType element, std::vector<std::int64_t> sizes, std::vector<std::byte> bytes);
    /// Copies the values. Precondition: their number is right.
    template <class T>
    static Tensor of(std::vector<std::int64_t> sizes, std::span<const T> values) {
        const auto bytes = std::as_bytes(values);
        return own(element_type_of<T>(), std::move(sizes), {bytes.begin(), bytes.end()});
    }
    template <class T>
    static Tensor of(std::vector<std::int64_t> sizes, std::initializer_list<T> values) {
        return of<T>(std::move(sizes), std::span<const T>(values.begin(), values.size()));
    }

    ElementType element() const { return element_; }
    std::span<const std::int64_t> sizes() const { return sizes_; }
    std::int64_t count() const { return count_; }
    TensorType type() const;
    std::span<const std::byte> bytes() const { return {bytes_.data.get(), bytes_.count}; }
    /// A copy of the elements (their bytes needn't be aligned). Precondition: T's
    /// element type is the tensor's.
    template <class T>
    std::vector<T> values() const {
        std::vector<T> result(static_cast<std::size_t>(count_));
        if (count_ > 0) std::memcpy(result.data(), bytes_.data.get(), bytes_.count);
        return result;
    }

    /// The element type that T has here: float, f16, std::int8_t, ... Bytes of bool are
    /// std::uint8_t, too: own().
    template <class T>
    static constexpr ElementType element_type_of() {
        if constexpr (std::is_same_v<T, float>)
            return ElementType::f32;
        else if constexpr (std::is_same_v<T, f16>)
            return ElementType::f16;
        else if constexpr (std::is_same_v<T, std::int8_t>)
            return ElementType::i8;
        else if constexpr (std::is_same_v<T, std::uint8_t>)
            return ElementType::u8;
        else if constexpr (std::is_same_v<T, std::int32_t>)
            return ElementType::i32;
        else if constexpr (std::is_same_v<T, std::int64_t>)
            return ElementType::i64;
        else
            static_assert(!sizeof(T), "no tensor has elements of this type");
    }

    /// Same type, same bytes.
    friend bool operator==(const Tensor& a, const Tensor& b);

  private:
    ElementType element_ = ElementType::f32;
    std::vector<std::int64_t> sizes_;
    std::int64_t count_ = 1;
    SharedBytes bytes_ = zero();
    static SharedBytes zero();
};

/// The elements of an integer or bool tensor, widened. Precondition: it has no floats.
std::vector<std::int64_t> integers(const Tensor& tensor);
/// The elements as f32: exact for f32 and f16. Precondition: it has floats.
std::vector<float> floats(const Tensor& tensor);

}  // namespace muster::graph
