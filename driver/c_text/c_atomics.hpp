// c_atomics.hpp - the IR's atomic operations as functions in C for GCC and Clang: atomic_add_i32(&x, 1). Constant data.
#pragma once

namespace muster::c_text {

inline constexpr const char* c_atomics = R"(#define MUSTER_ATOMICS(T, S) \
    static inline T atomic_load_##S(const T* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); } \
    static inline T atomic_add_##S(T* at, T a) { return __atomic_fetch_add(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_sub_##S(T* at, T a) { return __atomic_fetch_sub(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_and_##S(T* at, T a) { return __atomic_fetch_and(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_or_##S(T* at, T a) { return __atomic_fetch_or(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_xor_##S(T* at, T a) { return __atomic_fetch_xor(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_exchange_##S(T* at, T a) { return __atomic_exchange_n(at, a, __ATOMIC_RELAXED); } \
    static inline void atomic_store_##S(T* at, T a) { __atomic_store_n(at, a, __ATOMIC_RELAXED); } \
    static inline T atomic_compare_exchange_##S(T* at, T old, T a) { \
        __atomic_compare_exchange_n(at, &old, a, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return old; \
    } \
    static inline T atomic_min_##S(T* at, T a) { \
        T old = atomic_load_##S(at); \
        while (a < old && !__atomic_compare_exchange_n(at, &old, a, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
        return old; \
    } \
    static inline T atomic_max_##S(T* at, T a) { \
        T old = atomic_load_##S(at); \
        while (a > old && !__atomic_compare_exchange_n(at, &old, a, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
        return old; \
    }
MUSTER_ATOMICS(int, i32)
MUSTER_ATOMICS(unsigned, u32)
MUSTER_ATOMICS(long long, i64)
MUSTER_ATOMICS(unsigned long long, u64)
)";

}  // namespace muster::c_text
