// npy_convert.hpp - converts a file's array to the type that a kernel declares.
//
// Files of 32-bit numbers must have exactly the kernel's type. Other types (f64, NumPy's default; i64, bool,
// ...; u8 for a kernel of u32) are converted if every value fits: floats to the nearest f32 unless they
// overflow, whole floats in range to integers, and integers to f32 if they are exactly representable.
#pragma once

#include <string>

#include <muster/cli/input/npy.hpp>

namespace muster::cli {

struct Converted {
    Array array;       // rows first, little-endian
    std::string note;  // for people: what was changed; empty: nothing
};

/// Errors: invalid_argument (a different 32-bit type, or a value that doesn't fit; the message gives the
/// first one and its index).
Result<Converted> convert(const StoredArray& stored, Scalar to, const std::string& name);

}  // namespace muster::cli
