// literal.hpp - scans numeric literals and computes their values.
//
// Source: WGSL section "Numeric Literals". Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct NumberExtent {
    std::size_t end = 0;  // one past the last byte
    TokenFault fault = TokenFault::none;
};

/// The longest number that begins at `at`. Precondition: `at` is a digit, or a point before one.
NumberExtent scan_number(std::string_view text, std::size_t at);

enum class NumberFault : std::uint8_t { none, too_large, inexact };

/// The suffixes li, lu and lf of muster_int64 and muster_float64.
inline constexpr char long_i = 'I', long_u = 'U', long_f = 'F';

struct Number {
    bool is_float = false;
    char suffix = 0;  // 0, 'i', 'u', 'f', 'h', long_i, long_u, long_f
    NumberFault fault = NumberFault::none;
    std::uint64_t integer = 0;  // fits i64, or by its suffix i32, u32 or u64
    double value = 0;           // rounded once: to f64, or by its suffix to f32 or f16
};

/// Computes a number's value. Decimal floats round to nearest even; hexadecimal floats with a suffix must be
/// exact. Precondition: scan_number() accepted all of `text` without a fault.
Number read_number(std::string_view text);

}  // namespace muster::wgsl
