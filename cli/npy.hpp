// npy.hpp - NumPy's array files: versions 1 and 2, C order, little-endian f4, i4 and u4.
//
// Format: numpy.lib.format. A file is a magic, a version, a Python dictionary literal {descr, fortran_order,
// shape} and the elements, last index fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/result.hpp>
#include <muster/foundation/type.hpp>

namespace muster::cli {

/// Numbers of one kind, packed, rows first: shape {2, 3} is two rows of three. An empty shape is one number.
struct Array {
    Scalar scalar = Scalar::f32;       // i32, u32 or f32: 4 bytes each
    std::vector<std::uint64_t> shape;  // numbers along each axis
    std::vector<std::byte> bytes;      // 4 per number
};

/// Numbers in an array of this shape; nothing where it doesn't fit 64 bits.
std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape);

/// Reads the bytes of a .npy file; `name` is for messages. Errors: io_failed, unsupported (types, order).
Result<Array> parse_npy(std::span<const std::byte> file, const std::string& name);

/// The bytes of a version 1.0 file.
std::vector<std::byte> format_npy(const Array& array);

}  // namespace muster::cli
