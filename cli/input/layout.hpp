// layout.hpp - converts between packed numbers (a .npy file, literals) and a
// binding's bytes in WGSL's layout.
//
// "Numbers" are scalars in the order of declaration, without padding: an array of 10 vec3<f32> has
// 30 numbers and 160 bytes. Each has its type's bytes: 4, 2 or 1. Types that bindings can't have
// (bool) don't occur here.
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
    std::vector<std::byte> bytes;  // in the layout that the kernel declares
    std::vector<std::uint64_t>
        shape;  // of its numbers, rows first; an array of vectors has the vector's axis last
};

/// A binding's element type: that of an array, also of one that ends a structure; otherwise the type itself.
TypeId repeated(const TypeTable& types, TypeId type);

/// The scalar type that all numbers of the type have; none if they differ.
std::optional<Scalar> only_scalar(const TypeTable& types, TypeId type);

/// Number of elements of the array (or run-time array) in `bytes` bytes of this type; 1 if it isn't an array.
std::uint64_t element_count(const TypeTable& types, TypeId type, std::uint64_t bytes);

/// Bytes of the type; if it has a run-time array, with `elements` elements. Errors: limit_exceeded (more than
/// this machine's memory).
Result<std::uint64_t> bytes_for(const TypeTable& types, TypeId type, std::uint64_t elements);

/// Number of run-time elements for which `numbers` fill the type exactly; 0 if it has no run-time array.
/// Errors: invalid_argument; the message says which counts fit.
Result<std::uint64_t> elements_for(const TypeTable& types, TypeId type, std::uint64_t numbers);

/// Numbers before the run-time array that ends a structure; 0 for every other type.
std::uint64_t head_words(const TypeTable& types, TypeId type);

/// Calls `visit(byte offset, numbers, scalar)` for each run of adjacent numbers, in order.
using VisitRun = std::function<void(std::uint64_t, std::uint64_t, Scalar)>;
void for_each_run(const TypeTable& types, TypeId type, std::uint64_t elements, const VisitRun& visit);

/// Copies packed numbers into the layout; `to` has bytes_for() bytes, and its padding isn't changed.
void spread(const TypeTable& types, TypeId type, std::uint64_t elements, std::span<const std::byte> packed,
            std::span<std::byte> to);

/// Extracts the numbers of `from`.
std::vector<std::byte> pack(const TypeTable& types, TypeId type, std::span<const std::byte> from);

/// The shape of `elements` elements: {elements}, followed by the width if they are vectors.
std::vector<std::uint64_t> plain_shape(const TypeTable& types, TypeId type, std::uint64_t elements);

/// A buffer's elements along x, y and z: the last axis of its shape is x; a vector's own axis doesn't count.
struct Extent {
    std::uint64_t x = 1, y = 1, z = 1;
};
Extent extent_of(const TypeTable& types, TypeId type, std::span<const std::uint64_t> shape);

}  // namespace muster::cli
