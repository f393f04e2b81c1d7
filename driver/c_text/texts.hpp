// texts.hpp - what the functions of dialect.hpp are called in C, or their definitions. Internal.
#pragma once

#include <algorithm>
#include <string_view>

#include <muster/driver/c_text/dialect.hpp>

namespace muster::c_text {

/// C's own functions for float and double. OpenCL C's for float have no f behind.
inline constexpr Function calls[] = {
    {"exp_f32", "expf"},     {"exp2_f32", "exp2f"},   {"log_f32", "logf"},     {"log2_f32", "log2f"},
    {"sin_f32", "sinf"},     {"cos_f32", "cosf"},     {"tan_f32", "tanf"},     {"asin_f32", "asinf"},
    {"acos_f32", "acosf"},   {"atan_f32", "atanf"},   {"atan2_f32", "atan2f"}, {"sinh_f32", "sinhf"},
    {"cosh_f32", "coshf"},   {"tanh_f32", "tanhf"},   {"asinh_f32", "asinhf"}, {"acosh_f32", "acoshf"},
    {"atanh_f32", "atanhf"}, {"pow_f32", "powf"},     {"abs_f32", "fabsf"},    {"floor_f32", "floorf"},
    {"ceil_f32", "ceilf"},   {"trunc_f32", "truncf"}, {"round_f32", "rintf"},  {"sqrt_f32", "sqrtf"},
    {"fma_f32", "fmaf"},     {"fmin_f32", "fminf"},   {"fmax_f32", "fmaxf"},   {"abs_f64", "fabs"},
    {"floor_f64", "floor"},  {"ceil_f64", "ceil"},    {"trunc_f64", "trunc"},  {"round_f64", "rint"},
    {"sqrt_f64", "sqrt"},    {"fma_f64", "fma"},      {"fmin_f64", "fmin"},    {"fmax_f64", "fmax"}};

struct Definition {
    std::string_view name;
    std::string_view text;
};

// WGSL's rules, as in foundation/semantics/semantics.hpp. Signed arithmetic is done on unsigned, which wraps. @int(a) is a
// conversion, @NAME(a) calls another Function, @inline begins a function, and @mark a member function. A name with $n is
// defined for 32 and for 64 bits: see spelled_out().
// clang-format off
inline constexpr Definition definitions[] = {
    {"add_i$n", "@inline $i add_i$n($i a, $i b) { return $i($u(a) + $u(b)); }\n"},
    {"sub_i$n", "@inline $i sub_i$n($i a, $i b) { return $i($u(a) - $u(b)); }\n"},
    {"mul_i$n", "@inline $i mul_i$n($i a, $i b) { return $i($u(a) * $u(b)); }\n"},
    {"neg_i$n", "@inline $i neg_i$n($i a) { return $i(0u - $u(a)); }\n"},
    {"abs_i$n", "@inline $i abs_i$n($i a) { return a < 0 ? $i(0u - $u(a)) : a; }\n"},
    {"div_i$n", "@inline $i div_i$n($i a, $i b) {\n"
                "    return b == 0 || (b == -1 && a == $i($t)) ? a : a / b;\n}\n"},
    {"rem_i$n", "@inline $i rem_i$n($i a, $i b) {\n"
                "    return b == 0 || (b == -1 && a == $i($t)) ? 0 : a % b;\n}\n"},
    {"div_u$n", "@inline $u div_u$n($u a, $u b) { return b == 0u ? a : a / b; }\n"},
    {"rem_u$n", "@inline $u rem_u$n($u a, $u b) { return b == 0u ? 0u : a % b; }\n"},
    {"min_i$n", "@inline $i min_i$n($i a, $i b) { return b < a ? b : a; }\n"},
    {"max_i$n", "@inline $i max_i$n($i a, $i b) { return a < b ? b : a; }\n"},
    {"min_u$n", "@inline $u min_u$n($u a, $u b) { return b < a ? b : a; }\n"},
    {"max_u$n", "@inline $u max_u$n($u a, $u b) { return a < b ? b : a; }\n"},
    {"shl_i$n", "@inline $i shl_i$n($i a, unsigned count) { return $i($u(a) << (count & $m)); }\n"},
    {"shl_u$n", "@inline $u shl_u$n($u a, unsigned count) { return a << (count & $m); }\n"},
    {"shr_i$n", "@inline $i shr_i$n($i a, unsigned count) { return a >> (count & $m); }\n"},
    {"shr_u$n", "@inline $u shr_u$n($u a, unsigned count) { return a >> (count & $m); }\n"},
    {"ones_u32", "@inline unsigned ones_u32(unsigned a) {\n"
                 "    const unsigned pairs = a - (a >> 1 & 0x55555555u);\n"
                 "    const unsigned fours = (pairs & 0x33333333u) + (pairs >> 2 & 0x33333333u);\n"
                 "    return ((fours + (fours >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;\n}\n"},
    {"leading_zeros_u32", "@inline unsigned leading_zeros_u32(unsigned a) {\n"
                          "    for (unsigned k = 1u; k < 32u; k += k) a |= a >> k;\n"
                          "    return @ones_u32(~a);\n}\n"},
    {"trailing_zeros_u32", "@inline unsigned trailing_zeros_u32(unsigned a) { return @ones_u32(~a & (a - 1u)); }\n"},
    {"reverse_bits_u32", "@inline unsigned reverse_bits_u32(unsigned a) {\n"
                         "    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;\n"
                         "    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;\n"
                         "    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;\n"
                         "    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;\n"
                         "    return a >> 16 | a << 16;\n}\n"},
    {"ones_u64", "@inline @u64_t ones_u64(@u64_t a) {\n"
                 "    return @ones_u32(@unsigned(a)) + @ones_u32(@unsigned(a >> 32));\n}\n"},
    {"leading_zeros_u64", "@inline @u64_t leading_zeros_u64(@u64_t a) {\n"
                          "    const unsigned low = @unsigned(a), high = @unsigned(a >> 32);\n"
                          "    return high == 0u ? 32u + @leading_zeros_u32(low) : @leading_zeros_u32(high);\n}\n"},
    {"trailing_zeros_u64", "@inline @u64_t trailing_zeros_u64(@u64_t a) {\n"
                           "    const unsigned low = @unsigned(a), high = @unsigned(a >> 32);\n"
                           "    return low == 0u ? 32u + @trailing_zeros_u32(high) : @trailing_zeros_u32(low);\n}\n"},
    {"reverse_bits_u64", "@inline @u64_t reverse_bits_u64(@u64_t a) {\n"
                         "    return @u64_t(@reverse_bits_u32(@unsigned(a))) << 32 | @reverse_bits_u32(@unsigned(a >> 32));\n}\n"},
    {"ones_i$n", "@inline $i ones_i$n($i a) { return $i(@ones_u$n($u(a))); }\n"},
    {"leading_zeros_i$n", "@inline $i leading_zeros_i$n($i a) { return $i(@leading_zeros_u$n($u(a))); }\n"},
    {"trailing_zeros_i$n", "@inline $i trailing_zeros_i$n($i a) { return $i(@trailing_zeros_u$n($u(a))); }\n"},
    {"reverse_bits_i$n", "@inline $i reverse_bits_i$n($i a) { return $i(@reverse_bits_u$n($u(a))); }\n"},
    {"f$n_as_i$n", "@inline $i f$n_as_i$n($f a) {\n    union { $f f; $i i; } both;\n    both.f = a;\n    return both.i;\n}\n"},
    {"f$n_as_u$n", "@inline $u f$n_as_u$n($f a) {\n    union { $f f; $u u; } both;\n    both.f = a;\n    return both.u;\n}\n"},
    {"i$n_as_f$n", "@inline $f i$n_as_f$n($i a) {\n    union { $f f; $i i; } both;\n    both.i = a;\n    return both.f;\n}\n"},
    {"u$n_as_f$n", "@inline $f u$n_as_f$n($u a) {\n    union { $f f; $u u; } both;\n    both.u = a;\n    return both.f;\n}\n"},
    // If one operand is NaN the result is the other, as with C's functions. -0 is less than +0, which C
    // doesn't promise. Both results are computed before one is chosen, so that no branch is needed.
    {"min_f$n", "@inline $f min_f$n($f a, $f b) {\n"
                "    const $f less = @fmin_f$n(a, b), equal = @u$n_as_f$n(@f$n_as_u$n(a) | @f$n_as_u$n(b));\n"
                "    return a == b ? equal : less;\n}\n"},
    {"max_f$n", "@inline $f max_f$n($f a, $f b) {\n"
                "    const $f greater = @fmax_f$n(a, b), equal = @u$n_as_f$n(@f$n_as_u$n(a) & @f$n_as_u$n(b));\n"
                "    return a == b ? equal : greater;\n}\n"},
    {"rem_f$n", "@inline $f rem_f$n($f a, $f b) { return a - b * @trunc_f$n(a / b); }\n"},
    {"inverse_sqrt_f32", "@inline float inverse_sqrt_f32(float a) { return 1.0f / @sqrt_f32(a); }\n"},
    // Out-of-range values give the nearest value that both types have, NaN gives 0.
    {"to_i32", "@inline int to_i32(float a) {\n"
               "    if (a >= 2147483648.0f) return 2147483520;\n"
               "    return a >= -2147483648.0f ? @int(a) : a < 0.0f ? @int(0x80000000u) : 0;\n}\n"},
    {"to_u32", "@inline unsigned to_u32(float a) {\n"
               "    if (a >= 4294967296.0f) return 4294967040u;\n"
               "    return a > 0.0f ? @unsigned(a) : 0u;\n}\n"},
    {"to_i64", "@inline @i64_t to_i64(float a) {\n"
               "    if (a >= 9223372036854775808.0f) return 9223371487098961920;\n"
               "    return a >= -9223372036854775808.0f ? @i64_t(a) : a < 0.0f ? @i64_t(0x8000000000000000u) : 0;\n}\n"},
    {"to_u64", "@inline @u64_t to_u64(float a) {\n"
               "    if (a >= 18446744073709551616.0f) return 18446742974197923840u;\n"
               "    return a > 0.0f ? @u64_t(a) : 0u;\n}\n"},
    {"f64_to_i32", "@inline int f64_to_i32(double a) {\n"
                   "    if (a >= 2147483648.0) return 2147483647;\n"
                   "    return a >= -2147483648.0 ? @int(a) : a < 0.0 ? @int(0x80000000u) : 0;\n}\n"},
    {"f64_to_u32", "@inline unsigned f64_to_u32(double a) {\n"
                   "    if (a >= 4294967296.0) return 4294967295u;\n"
                   "    return a > 0.0 ? @unsigned(a) : 0u;\n}\n"},
    {"f64_to_i64", "@inline @i64_t f64_to_i64(double a) {\n"
                   "    if (a >= 9223372036854775808.0) return 9223372036854774784;\n"
                   "    return a >= -9223372036854775808.0 ? @i64_t(a) : a < 0.0 ? @i64_t(0x8000000000000000u) : 0;\n}\n"},
    {"f64_to_u64", "@inline @u64_t f64_to_u64(double a) {\n"
                   "    if (a >= 18446744073709551616.0) return 18446744073709549568u;\n"
                   "    return a > 0.0 ? @u64_t(a) : 0u;\n}\n"},
    // All NaNs give the same bits.
    {"bits_i32", "@inline int bits_i32(float a) { return a != a ? 0x7fc00000 : @f32_as_i32(a); }\n"},
    {"bits_u32", "@inline unsigned bits_u32(float a) { return a != a ? 0x7fc00000u : @f32_as_u32(a); }\n"},
    {"bits_u64", "@inline @u64_t bits_u64(double a) { return a != a ? 0x7ff8000000000000u : @f64_as_u64(a); }\n"},
    {"bits_i64", "@inline @i64_t bits_i64(double a) { return @i64_t(@bits_u64(a)); }\n"},
    // f16 are their bits: rounded to nearest even, with one NaN; exact the other way.
    {"half_bits", "typedef unsigned short half_bits;\n"},
    {"to_f16", "@inline @half_bits to_f16(float a) {\n"
               "    const unsigned bits = @f32_as_u32(a), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;\n"
               "    const unsigned steps = @f32_as_u32(@u32_as_f32(magnitude) + 0.5f) - 0x3f000000u;\n"
               "    const unsigned rounded = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;\n"
               "    const unsigned finite = sign | (magnitude < 0x38800000u ? steps : rounded);\n"
               "    const unsigned number = magnitude >= 0x477ff000u ? sign | 0x7c00u : finite;\n"
               "    return magnitude > 0x7f800000u ? 0x7e00u : number;\n}\n"},
    {"from_f16", "@inline float from_f16(@half_bits a) {\n"
                 "    const unsigned sign = (a & 0x8000u) << 16, magnitude = a & 0x7fffu;\n"
                 "    const float tiny = @int(magnitude) * 5.9604644775390625e-08f;\n"
                 "    const unsigned normal = (magnitude << 13) + 0x38000000u, special = magnitude << 13 | 0x7f800000u;\n"
                 "    const unsigned finite = magnitude < 0x400u ? @f32_as_u32(tiny) : normal;\n"
                 "    return @u32_as_f32(sign | (magnitude >= 0x7c00u ? special : finite));\n}\n"},
    {"bits_f16", "@inline unsigned bits_f16(@half_bits a) { return (a & 0x7fffu) > 0x7c00u ? 0x7e00u : a; }\n"},
    {"i8_t", "typedef signed char i8_t;\n"},
    {"u8_t", "typedef unsigned char u8_t;\n"},
    {"i16_t", "typedef short i16_t;\n"},
    {"u16_t", "typedef unsigned short u16_t;\n"},
    {"i64_t", "typedef long long i64_t;\n"},
    {"u64_t", "typedef unsigned long long u64_t;\n"},
    // C++'s templates; types.cpp makes C's types and functions one by one.
    {"array", "template <class T, unsigned N>\nstruct array {\n    T elements[N];\n"
              "    @mark T& operator[](unsigned i) { return elements[i]; }\n"
              "    @mark const T& operator[](unsigned i) const { return elements[i]; }\n};\n"},
    {"padded", "template <class T>\nstruct alignas(16) padded {\n    T value;\n};\n"},
    {"padded_half", "template <class T>\nstruct alignas(8) padded_half {\n    T value;\n};\n"},
    {"padded_byte", "template <class T>\nstruct alignas(4) padded_byte {\n    T value;\n};\n"},
    {"padded_wide", "template <class T>\nstruct alignas(16) padded_wide {\n    T value;\n};\n"},
    {"set_zero", "template <class T>\n@inline void set_zero(T& to) { to = {}; }\n"
                 "template <class T, unsigned N>\n@inline void set_zero(array<T, N>& to) {\n"
                 "    for (unsigned i = 0u; i < N; ++i) set_zero(to[i]);\n}\n"},
    {"store_to", "template <class T>\n@inline void store_to(T& to, const T& from) { to = from; }\n"},
    {"store_to padded", "template <class T>\n@inline void store_to(padded<T>& to, const padded<T>& from) {\n"
                        "    to.value = from.value;\n}\n"},
    {"store_to padded_half", "template <class T>\n"
                             "@inline void store_to(padded_half<T>& to, const padded_half<T>& from) {\n"
                             "    to.value = from.value;\n}\n"},
    {"store_to padded_byte", "template <class T>\n"
                             "@inline void store_to(padded_byte<T>& to, const padded_byte<T>& from) {\n"
                             "    to.value = from.value;\n}\n"},
    {"store_to padded_wide", "template <class T>\n"
                             "@inline void store_to(padded_wide<T>& to, const padded_wide<T>& from) {\n"
                             "    to.value = from.value;\n}\n"},
    {"store_to array", "template <class T, unsigned N>\n"
                       "@inline void store_to(array<T, N>& to, const array<T, N>& from) {\n"
                       "    for (unsigned i = 0u; i < N; ++i) store_to(to[i], from[i]);\n}\n"},
};
// clang-format on

/// True if there is a text for the Function of an operation on a scalar: "add" and "i32".
constexpr bool has_text(std::string_view operation, std::string_view scalar) {
    const auto is_it = [&](const auto& row) {
        if (!row.name.starts_with(operation) || row.name.substr(operation.size()).size() != 4) return false;
        const std::string_view on = row.name.substr(operation.size() + 1);
        return on == scalar || (on.ends_with("$n") && on[0] == scalar[0]);
    };
    return std::ranges::any_of(calls, is_it) || std::ranges::any_of(definitions, is_it);
}

}  // namespace muster::c_text
