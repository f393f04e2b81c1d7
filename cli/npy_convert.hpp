// npy_convert.hpp - an array of a file as the numbers that a kernel declares: f32, i32 or u32.
//
// Files of 32-bit numbers must hold the kind that the kernel declares. Types that no kernel has (f64, NumPy's default;
// i64, f16, u8, bool, ...) are converted where every value fits: a float where it isn't too large, rounded to the
// nearest f32; to an integer what is whole and in range; to an f32 the integers that it has.
#pragma once

#include <string>

#include <muster/cli/npy.hpp>

namespace muster::cli {

struct Converted {
    Array array;       // rows first, little-endian
    std::string note;  // what was changed, for people; empty: nothing
};

/// Errors: invalid_argument: another kind, or the first value that doesn't fit and its index.
Result<Converted> convert(const StoredArray& stored, Scalar to, const std::string& name);

}  // namespace muster::cli
