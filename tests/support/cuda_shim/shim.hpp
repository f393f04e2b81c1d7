// shim.hpp - CUDA C++ for the host's compiler: the language features that the CUDA backend's text needs, so
// that the very same text builds and runs without a GPU. It is included once in each translation unit, after
// run.hpp; functions.hpp in each kernel's namespace. C++17, includes nothing.
#pragma once

#define __global__
#define __device__
#define __constant__
#define __noinline__
#define __launch_bounds__(...)
// Shared memory can be static, since one block runs at a time; it is saved when another block's turn comes.
// Each kernel's is in a section of its own, named after the kernel's namespace, so that its memory can be
// found.
#define __shared__ static __attribute__((section(MUSTER_SHIM_SHARED)))
#define __syncthreads() ::muster_shim::barrier(__COUNTER__)
// Here threads may wait for each other at different points of the code.
#define __barrier_sync(which) ::muster_shim::barrier(~0u)
#define __activemask() ::muster_shim::meet_warp(__COUNTER__, 0u, 0u).mask
#define __ballot_sync(mask, a) ::muster_shim::ballot(__COUNTER__, mask, a)
#define __shfl_sync(mask, a, lane) ::muster_shim::shuffled(__COUNTER__, mask, a, lane)
#define __nanosleep(ns) ::muster_shim::sleep()

// Built-in types, aligned as CUDA aligns them.
#define MUSTER_SHIM_VECTORS(name, scalar)                                             \
    struct alignas(2 * sizeof(scalar)) name##2 {                                      \
        scalar x, y;                                                                  \
    };                                                                                \
    struct alignas(4 * sizeof(scalar)) name##4 {                                      \
        scalar x, y, z, w;                                                            \
    };                                                                                \
    inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }              \
    inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; } \
    inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
struct char3 {
    signed char x, y, z;
};
struct uchar3 {
    unsigned char x, y, z;
};
struct short3 {
    short x, y, z;
};
struct ushort3 {
    unsigned short x, y, z;
};
struct int3 {
    int x, y, z;
};
struct float3 {
    float x, y, z;
};
MUSTER_SHIM_VECTORS(char, signed char)
MUSTER_SHIM_VECTORS(uchar, unsigned char)
MUSTER_SHIM_VECTORS(short, short)
MUSTER_SHIM_VECTORS(ushort, unsigned short)
MUSTER_SHIM_VECTORS(int, int)
MUSTER_SHIM_VECTORS(uint, unsigned)
MUSTER_SHIM_VECTORS(float, float)
#undef MUSTER_SHIM_VECTORS

namespace muster_shim {

inline unsigned ballot(unsigned which, unsigned mask, bool a) {
    const Warp& warp = meet_warp(which, mask, a);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((warp.mask >> lane & 1) != 0 && warp.values[lane] != 0) bits |= 1u << lane;
    return bits;
}
template <class T>
T shuffled(unsigned which, unsigned mask, T a, unsigned lane) {
    unsigned bits = 0;
    static_assert(sizeof a <= sizeof bits);
    __builtin_memcpy(&bits, &a, sizeof a);
    bits = meet_warp(which, mask, bits).values[lane % 32];
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}

template <class... Types>
struct List {};

/// Takes a kernel's parameters from the block one after another, then calls the kernel.
template <class Entry, class... Taken>
void call(Entry entry, const unsigned char*, List<>, const Taken&... taken) {
    entry(taken...);
}
template <class Entry, class First, class... Rest, class... Taken>
void call(Entry entry, const unsigned char* from, List<First, Rest...>, const Taken&... taken) {
    from += -reinterpret_cast<unsigned long>(from) % alignof(First);
    First parameter;
    __builtin_memcpy(&parameter, from, sizeof parameter);
    call(entry, from + sizeof parameter, List<Rest...>{}, taken..., parameter);
}

template <class... Parameters>
struct Signature {
    static constexpr unsigned count = sizeof...(Parameters);
    unsigned offsets[count + 1] = {}, bytes = 0;
    constexpr explicit Signature(void (*)(Parameters...)) {
        unsigned k = 0;
        ((offsets[k++] = (bytes + alignof(Parameters) - 1) / alignof(Parameters) * alignof(Parameters),
          bytes = offsets[k - 1] + sizeof(Parameters)),
         ...);
    }
    template <void (*entry)(Parameters...)>
    static void body(const unsigned char* parameters) {
        call(entry, parameters, List<Parameters...>{});
    }
};

}  // namespace muster_shim

// Exports `muster_shim_NAME`, the Kernel for `space::name`. If the kernel has no shared memory, the section's
// bounds are null.
#define MUSTER_SHIM_KERNEL(space, name)                                                                     \
    extern "C" __attribute__((weak, visibility("hidden"))) unsigned char __start_##space[],                 \
        __stop_##space[];                                                                                   \
    static constexpr ::muster_shim::Signature signature_##space(&space::name);                              \
    static const char* run_##space(const ::muster_shim::Launch& launch) {                                   \
        return ::muster_shim::run_grid(                                                                     \
            launch, {decltype(::muster_shim::Signature(&space::name))::body<&space::name>, __start_##space, \
                     static_cast<unsigned long>(__stop_##space - __start_##space)});                        \
    }                                                                                                       \
    extern "C" __attribute__((visibility("default"))) const ::muster_shim::Kernel muster_shim_##name = {    \
        run_##space, {signature_##space.offsets, signature_##space.count, signature_##space.bytes}};
