// peers.hpp - the kernels as a person writes them in C++ with OpenMP. One source is built for each target,
// -march=native and levels of x86-64, at -O3 with -ffp-contract=off (the peers of exact mode) and with
// -ffast-math (those of fast mode, libmvec included).
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::bench {

/// A body in the layout of nbody.wgsl.
struct Body {
    float position[3], mass, velocity[3], unused;
};

struct Peers {
    void (*saxpy)(std::size_t n, float a, const float* x, float* y);
    float (*sum)(std::size_t n, const float* x);
    /// Exclusive, in place.
    void (*scan)(std::size_t n, std::uint32_t* values);
    void (*mandelbrot)(std::uint32_t width, std::uint32_t height, std::uint32_t limit, std::uint32_t* steps);
    /// Mandelbrot with intrinsics, and the instructions' name: "AVX-512", else "AVX2"; null if the
    /// compiler's target has neither.
    const char* by_hand;
    void (*mandelbrot_by_hand)(std::uint32_t width, std::uint32_t height, std::uint32_t limit,
                               std::uint32_t* steps);
    void (*matmul)(std::size_t n, const float* a, const float* b, float* c);
    /// The roof of what multiplies and adds floats: so many of both, in registers. Separate instructions, or
    /// in fast mode fused ones where the target has them.
    float (*multiply_adds)(double count);
    /// The matrix and x are signed bytes, four to a word. With intrinsics; null if the compiler's target has
    /// neither AVX2 nor dot products.
    void (*matvec_packed)(std::size_t rows, std::size_t words, const std::uint32_t* matrix,
                          const std::uint32_t* x, std::int32_t* y);
    void (*stencil)(std::size_t width, std::size_t height, const float* before, float* after);
    void (*histogram)(std::size_t words, const std::uint32_t* data, std::uint32_t* counts);
    void (*nbody)(std::size_t n, float time_step, float softening, const Body* before, Body* after);
    void (*softmax)(std::size_t rows, std::size_t columns, const float* before, float* after);
    void (*black_scholes)(std::size_t n, const float* price, const float* strike, const float* years,
                          float* call, float* put);
    void (*spmv)(std::size_t rows, const std::uint32_t* first, const std::uint32_t* columns,
                 const float* elements, const float* x, float* y);
    /// Causal, of 64 floats a query.
    void (*attention)(std::size_t heads, std::size_t length, const float* q, const float* k, const float* v,
                      float* out);
    /// `points` and `centres` are of two floats; `centres` are at first where they are to begin.
    void (*kmeans)(std::size_t count, std::size_t centre_count, std::size_t turns, const float* points,
                   float* centres);
    void (*radix_sort)(std::size_t count, const std::uint32_t* keys, const std::uint32_t* payloads,
                       std::uint32_t* sorted_keys, std::uint32_t* sorted_payloads);
};

extern const Peers exact_peers_native, fast_peers_native;
#if defined(__x86_64__)
extern const Peers exact_peers_v2, fast_peers_v2, exact_peers_v3, fast_peers_v3, exact_peers_v4,
    fast_peers_v4;
#endif

}  // namespace muster::bench
