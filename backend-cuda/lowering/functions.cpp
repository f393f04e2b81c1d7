// CUDA's functions.
#include <muster/backend-cuda/lowering/dialect.hpp>

namespace muster::cuda {
namespace {

// clang-format off
constexpr c_text::Function functions[] = {
    {"min_i32", "min"}, {"min_u32", "min"}, {"max_i32", "max"}, {"max_u32", "max"}, {"inverse_sqrt_f32", "rsqrtf"},
    {"f32_as_i32", "__float_as_int"}, {"f32_as_u32", "__float_as_uint"},
    {"i32_as_f32", "__int_as_float"}, {"u32_as_f32", "__uint_as_float"},
    {"ones_i32", "",
     "__device__ inline int ones_i32(int a) { return __popc(unsigned(a)); }\n"},
    {"ones_u32", "",
     "__device__ inline unsigned ones_u32(unsigned a) { return unsigned(__popc(a)); }\n"},
    {"leading_zeros_i32", "",
     "__device__ inline int leading_zeros_i32(int a) { return __clz(a); }\n"},
    {"leading_zeros_u32", "",
     "__device__ inline unsigned leading_zeros_u32(unsigned a) { return unsigned(__clz(int(a))); }\n"},
    {"trailing_zeros_i32", "",
     "__device__ inline int trailing_zeros_i32(int a) { return __clz(int(__brev(unsigned(a)))); }\n"},
    {"trailing_zeros_u32", "",
     "__device__ inline unsigned trailing_zeros_u32(unsigned a) { return unsigned(__clz(int(__brev(a)))); }\n"},
    {"reverse_bits_i32", "",
     "__device__ inline int reverse_bits_i32(int a) { return int(__brev(unsigned(a))); }\n"},
    {"reverse_bits_u32", "",
     "__device__ inline unsigned reverse_bits_u32(unsigned a) { return __brev(a); }\n"},
    {"dot4_u8_packed", "",
     "__device__ inline unsigned dot4_u8_packed(unsigned a, unsigned b) { return __dp4a(a, b, 0u); }\n"},
    {"dot4_i8_packed", "",
     "__device__ inline int dot4_i8_packed(unsigned a, unsigned b) { return __dp4a(int(a), int(b), 0); }\n"},
    // CUDA's own conversions saturate, and give 0 for NaN. Both results are computed before one is chosen, so
    // that no branch is needed.
    {"to_i32", "",
     "__device__ inline int to_i32(float a) {\n    const int inside = __float2int_rz(a);\n"
     "    return a >= 2147483648.0f ? 2147483520 : inside;\n}\n"},
    {"to_u32", "",
     "__device__ inline unsigned to_u32(float a) {\n    const unsigned inside = __float2uint_rz(a);\n"
     "    return a >= 4294967296.0f ? 4294967040u : inside;\n}\n"},
    {"to_f16", "",
     "__device__ inline unsigned short to_f16(float a) {\n    unsigned short rounded;\n"
     "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(rounded) : \"f\"(a));\n    return rounded;\n}\n"},
    {"from_f16", "",
     "__device__ inline float from_f16(unsigned short a) {\n    float wide;\n"
     "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(wide) : \"h\"(a));\n    return wide;\n}\n"},
    {"load_atomic_i32", "",
     "__device__ inline int load_atomic_i32(const int* from) { return *(const volatile int*)from; }\n"},
    {"load_atomic_u32", "",
     "__device__ inline unsigned load_atomic_u32(const unsigned* from) { return *(const volatile unsigned*)from; }\n"},
    {"load_atomic_f32", "",
     "__device__ inline float load_atomic_f32(const float* from) { return *(const volatile float*)from; }\n"},
    {"load_atomic_i64", "",
     "__device__ inline long long load_atomic_i64(const long long* from) { return *(const volatile long long*)from; }\n"},
    {"load_atomic_u64", "",
     "__device__ inline unsigned long long load_atomic_u64(const unsigned long long* from) {\n"
     "    return *(const volatile unsigned long long*)from;\n}\n"},
    {"store_atomic_i64", "",
     "__device__ inline void store_atomic_i64(long long* to, long long a) { *(volatile long long*)to = a; }\n"},
    {"store_atomic_u64", "",
     "__device__ inline void store_atomic_u64(unsigned long long* to, unsigned long long a) {\n"
     "    *(volatile unsigned long long*)to = a;\n}\n"},
    {"store_atomic_i32", "",
     "__device__ inline void store_atomic_i32(int* to, int a) { *(volatile int*)to = a; }\n"},
    {"store_atomic_u32", "",
     "__device__ inline void store_atomic_u32(unsigned* to, unsigned a) { *(volatile unsigned*)to = a; }\n"},
    {"store_atomic_f32", "",
     "__device__ inline void store_atomic_f32(float* to, float a) { *(volatile float*)to = a; }\n"},
    // The last block to arrive starts the next turn. A block that leaves counts as arrived from then on and
    // doesn't wait; when all have left, the state is as at the start. The first fence makes the block's
    // earlier writes visible, the last orders its later accesses.
    {"grid_barrier_state", "",
     "struct grid_barrier_state {\n    unsigned arrived, left, turn;\n};\n"
     "__device__ inline void arrive(grid_barrier_state* state, bool leaves) {\n"
     "    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z, turn = load_atomic_u32(&state->turn);\n"
     "    if (leaves) atomicAdd(&state->left, 1u);\n"
     "    __threadfence();\n"
     "    if (atomicAdd(&state->arrived, 1u) + 1u == blocks) {\n"
     "        __threadfence();\n"
     "        const unsigned left = load_atomic_u32(&state->left) % blocks;\n"
     "        store_atomic_u32(&state->left, left);\n"
     "        store_atomic_u32(&state->arrived, left);\n"
     "        __threadfence();\n"
     "        store_atomic_u32(&state->turn, turn + 1u);\n"
     "    } else if (!leaves) {\n"
     "        while (load_atomic_u32(&state->turn) == turn) __nanosleep(20u);\n"
     "    }\n"
     "    __threadfence();\n"
     "}\n"},
    {"grid_barrier", "",
     "__device__ inline void grid_barrier(grid_barrier_state* state) {\n"
     "    __syncthreads();\n"
     "    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) arrive(state, false);\n"
     "    __syncthreads();\n}\n"},
    // `running` can change only after the second barrier, so all threads of the block read the same value.
    {"leave_grid", "",
     "__device__ inline bool grid_barrier(grid_barrier_state* state, unsigned& running) {\n"
     "    __barrier_sync(0u);\n"
     "    const bool leaves = load_atomic_u32(&running) == 0u;\n"
     "    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) arrive(state, leaves);\n"
     "    __barrier_sync(0u);\n"
     "    return !leaves;\n}\n"
     "__device__ inline void leave_grid(grid_barrier_state* state, unsigned& running) {\n"
     "    atomicSub(&running, 1u);\n"
     "    while (grid_barrier(state, running)) {\n    }\n}\n"},
    // Uniform that a launch binds to memory or gives as a value; memory is null for a value.
    {"uniform", "",
     "template <class T>\nstruct uniform {\n    const T* memory;\n    T value;\n};\n"},
};
// clang-format on

}  // namespace

std::span<const c_text::Function> cuda_functions() { return functions; }

}  // namespace muster::cuda
