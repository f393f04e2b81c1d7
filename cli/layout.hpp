// layout.hpp - between packed numbers (a .npy file, literals) and a binding's bytes in WGSL's layout.
//
// "Numbers" are 4-byte scalars in the order of declaration, without padding: an array of 10 vec3<f32> holds
// 30 numbers and 160 bytes. Types that bindings can't have (bool) don't occur here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cli {

/// A binding's value on the host.
struct HostBuffer {
    std::vector<std::byte> bytes;  // as the kernel's declaration lays them out
    std::vector<std::uint64_t>
        shape;  // of its numbers, rows first; of an array of vectors the last axis is the vector's
};

/// What repeats in a binding: the element of an array, also of one that ends a structure; else the type
/// itself.
TypeId repeated(const TypeTable& types, TypeId type);

/// The one scalar that all numbers of the type are; nothing where they differ.
std::optional<Scalar> only_scalar(const TypeTable& types, TypeId type);

/// Elements of the run-time array, or of the array, in `bytes` bytes of this type; 1 where it is no array.
std::uint64_t element_count(const TypeTable& types, TypeId type, std::uint64_t bytes);

/// Bytes of the type where its run-time array, if it has one, has `elements` elements. Errors: limit_exceeded
/// (more than this machine's memory).
Result<std::uint64_t> bytes_for(const TypeTable& types, TypeId type, std::uint64_t elements);

/// The number of run-time elements in which `numbers` fill the type exactly; 0 where it has no run-time
/// array. Errors: invalid_argument, with the count that fits.
Result<std::uint64_t> elements_for(const TypeTable& types, TypeId type, std::uint64_t numbers);

/// Numbers in front of the run-time array that ends a structure; 0 for every other type.
std::uint64_t head_words(const TypeTable& types, TypeId type);

/// Calls `visit(byte offset, numbers, scalar)` for each unbroken run of numbers, in order.
using VisitRun = std::function<void(std::uint64_t, std::uint64_t, Scalar)>;
void for_each_run(const TypeTable& types, TypeId type, std::uint64_t elements, const VisitRun& visit);

/// Spreads packed numbers into the layout; `to` has bytes_for() bytes, padding is left as it is.
void spread(const TypeTable& types, TypeId type, std::uint64_t elements, std::span<const std::byte> packed,
            std::span<std::byte> to);

/// The numbers of `from`, packed.
std::vector<std::byte> pack(const TypeTable& types, TypeId type, std::span<const std::byte> from);

/// The shape of `elements` elements: {elements}, and the vector's width behind it.
std::vector<std::uint64_t> plain_shape(const TypeTable& types, TypeId type, std::uint64_t elements);

/// Elements along x, y, z of a buffer of this shape: the last axis is x, the vector's own axis doesn't count.
struct Extent {
    std::uint64_t x = 1, y = 1, z = 1;
};
Extent extent_of(const TypeTable& types, TypeId type, std::span<const std::uint64_t> shape);

}  // namespace muster::cli
