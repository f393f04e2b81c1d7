// functions.hpp - the functions of CUDA that the CUDA backend's text calls. It is included in each kernel's
// namespace, beside the overloads that the text adds: so there is no #pragma once.
//
// All of these are stand-ins: they do what CUDA's documentation promises of the real ones; if it promises
// nothing, as for the sign of fminf's zero, they do the least convenient. Atomic operations are plain ones,
// because one thread runs at a time. Functions of the last group round as the C library does, not as CUDA does:
// only fast mode uses them.

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }

inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
inline unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
inline float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
// CUDA's conversions saturate, and give 0 for NaN.
inline int __float2int_rz(float a) {
    return a != a ? 0 : a >= 2147483648.0f ? 2147483647 : a <= -2147483648.0f ? -2147483647 - 1 : int(a);
}
inline unsigned __float2uint_rz(float a) {
    return a != a || a <= 0.0f ? 0u : a >= 4294967296.0f ? 4294967295u : unsigned(a);
}

// PTX's conversions of f16, which cuda_host.cpp puts in place of inline assembly. Any NaN becomes 0x7fff.
inline unsigned short shim_cvt_rn_f16_f32(float a) {
    return a != a ? 0x7fff : __builtin_bit_cast(unsigned short, static_cast<_Float16>(a));
}
inline float shim_cvt_f32_f16(unsigned short a) { return __builtin_bit_cast(_Float16, a); }

inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(unsigned(a)); }
inline unsigned __brev(unsigned a) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1u) << (31 - bit);
    return reversed;
}

inline int __dp4a(int a, int b, int c) {
    for (int bit = 0; bit < 32; bit += 8)
        c += static_cast<signed char>(a >> bit) * static_cast<signed char>(b >> bit);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int bit = 0; bit < 32; bit += 8) c += (a >> bit & 255u) * (b >> bit & 255u);
    return c;
}

inline float fabsf(float a) { return __builtin_fabsf(a); }
inline float floorf(float a) { return __builtin_floorf(a); }
inline float ceilf(float a) { return __builtin_ceilf(a); }
inline float truncf(float a) { return __builtin_truncf(a); }
inline float rintf(float a) { return __builtin_rintf(a); }
inline float sqrtf(float a) { return __builtin_sqrtf(a); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fabs(double a) { return __builtin_fabs(a); }
inline double floor(double a) { return __builtin_floor(a); }
inline double ceil(double a) { return __builtin_ceil(a); }
inline double trunc(double a) { return __builtin_trunc(a); }
inline double rint(double a) { return __builtin_rint(a); }
inline double sqrt(double a) { return __builtin_sqrt(a); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
// The other operand if one is NaN; for two zeros the second.
inline float fminf(float a, float b) { return a != a ? b : b != b || a < b ? a : b; }
inline float fmaxf(float a, float b) { return a != a ? b : b != b || a > b ? a : b; }
inline double fmin(double a, double b) { return a != a ? b : b != b || a < b ? a : b; }
inline double fmax(double a, double b) { return a != a ? b : b != b || a > b ? a : b; }

#define MUSTER_SHIM_ATOMIC(name, type, result)    \
    inline type name(type* address, type value) { \
        const type old = *address;                \
        *address = static_cast<type>(result);     \
        return old;                               \
    }
#define MUSTER_SHIM_ATOMICS(type)                                        \
    MUSTER_SHIM_ATOMIC(atomicAdd, type, unsigned(old) + unsigned(value)) \
    MUSTER_SHIM_ATOMIC(atomicSub, type, unsigned(old) - unsigned(value)) \
    MUSTER_SHIM_ATOMIC(atomicMin, type, min(old, value))                 \
    MUSTER_SHIM_ATOMIC(atomicMax, type, max(old, value))                 \
    MUSTER_SHIM_ATOMIC(atomicAnd, type, old& value)                      \
    MUSTER_SHIM_ATOMIC(atomicOr, type, old | value)                      \
    MUSTER_SHIM_ATOMIC(atomicXor, type, old ^ value)                     \
    MUSTER_SHIM_ATOMIC(atomicExch, type, value)                          \
    inline type atomicCAS(type* address, type compare, type value) {     \
        const type old = *address;                                       \
        if (old == compare) *address = value;                            \
        return old;                                                      \
    }
MUSTER_SHIM_ATOMICS(int)
MUSTER_SHIM_ATOMICS(unsigned)
// CUDA has these of 64 bits.
MUSTER_SHIM_ATOMIC(atomicAdd, unsigned long long, old + value)
MUSTER_SHIM_ATOMIC(atomicMin, unsigned long long, old < value ? old : value)
MUSTER_SHIM_ATOMIC(atomicMax, unsigned long long, old < value ? value : old)
MUSTER_SHIM_ATOMIC(atomicMin, long long, old < value ? old : value)
MUSTER_SHIM_ATOMIC(atomicMax, long long, old < value ? value : old)
MUSTER_SHIM_ATOMIC(atomicAnd, unsigned long long, old& value)
MUSTER_SHIM_ATOMIC(atomicOr, unsigned long long, old | value)
MUSTER_SHIM_ATOMIC(atomicXor, unsigned long long, old ^ value)
MUSTER_SHIM_ATOMIC(atomicExch, unsigned long long, value)
inline unsigned long long atomicCAS(unsigned long long* address, unsigned long long compare,
                                    unsigned long long value) {
    const unsigned long long old = *address;
    if (old == compare) *address = value;
    return old;
}
MUSTER_SHIM_ATOMIC(atomicAdd, float, old + value)
MUSTER_SHIM_ATOMIC(atomicExch, float, value)
#undef MUSTER_SHIM_ATOMICS
#undef MUSTER_SHIM_ATOMIC
inline void __threadfence() {}
inline void __threadfence_block() {}

inline float expf(float a) { return __builtin_expf(a); }
inline float exp2f(float a) { return __builtin_exp2f(a); }
inline float logf(float a) { return __builtin_logf(a); }
inline float log2f(float a) { return __builtin_log2f(a); }
inline float sinf(float a) { return __builtin_sinf(a); }
inline float cosf(float a) { return __builtin_cosf(a); }
inline float tanf(float a) { return __builtin_tanf(a); }
inline float asinf(float a) { return __builtin_asinf(a); }
inline float acosf(float a) { return __builtin_acosf(a); }
inline float atanf(float a) { return __builtin_atanf(a); }
inline float atan2f(float a, float b) { return __builtin_atan2f(a, b); }
inline float sinhf(float a) { return __builtin_sinhf(a); }
inline float coshf(float a) { return __builtin_coshf(a); }
inline float tanhf(float a) { return __builtin_tanhf(a); }
inline float asinhf(float a) { return __builtin_asinhf(a); }
inline float acoshf(float a) { return __builtin_acoshf(a); }
inline float atanhf(float a) { return __builtin_atanhf(a); }
inline float powf(float a, float b) { return __builtin_powf(a, b); }
inline float rsqrtf(float a) { return 1.0f / __builtin_sqrtf(a); }
