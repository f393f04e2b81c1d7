// npy.hpp - reads and writes NumPy's array files as stored.
//
// Numbers have 1 to 8 bytes, in either byte order; rows or columns come first.
//
// Format: numpy.lib.format, versions 1 to 3. A file is a magic, a version, a Python dictionary literal
// {descr, fortran_order, shape} and the elements. npy_convert.hpp converts them to a kernel's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cli {

/// Numbers of one type, packed, rows first: shape {2, 3} is two rows of three. An empty shape is one number.
struct Array {
    Scalar scalar = Scalar::f32;       // any but bool
    std::vector<std::uint64_t> shape;  // numbers along each axis
    std::vector<std::byte> bytes;      // as many per number as its type has
};

/// Category of a file's numbers: integers and floats have 8, 16, 32 or 64 bits, booleans 8.
enum class NumberKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

/// A .npy file's array, not converted.
struct StoredArray {
    NumberKind kind = NumberKind::floating;
    std::uint32_t bytes_each = 4;
    bool is_big_endian = false;
    bool is_columns_first = false;  // Fortran order: the first index is the fastest
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> elements;  // points into the file's bytes

    std::uint64_t count() const { return elements.size() / bytes_each; }
    std::string type_name() const;  // "f64", "bool"
};

/// Number of elements in an array of this shape; none if it doesn't fit 64 bits.
std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape);

/// Reads a .npy file. The result refers to `file`, which must outlive it; `name` is for messages. Errors:
/// io_failed, unsupported (elements that aren't such numbers).
Result<StoredArray> parse_npy(std::span<const std::byte> file, const std::string& name);

/// Formats a version 1.0 file.
std::vector<std::byte> format_npy(const Array& array);

}  // namespace muster::cli
