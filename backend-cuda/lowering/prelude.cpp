#include <algorithm>

#include <muster/backend-cuda/lowering/prelude.hpp>

namespace muster::cuda {
namespace {

struct Function {
    std::string_view name;
    std::string_view definition;
};

// WGSL's rules, as in foundation/semantics/semantics.hpp. Signed arithmetic is done on unsigned, which wraps.
// clang-format off
constexpr Function functions[] = {
    {"add_i32", "__device__ inline int add_i32(int a, int b) { return int(unsigned(a) + unsigned(b)); }\n"},
    {"sub_i32", "__device__ inline int sub_i32(int a, int b) { return int(unsigned(a) - unsigned(b)); }\n"},
    {"mul_i32", "__device__ inline int mul_i32(int a, int b) { return int(unsigned(a) * unsigned(b)); }\n"},
    {"neg_i32", "__device__ inline int neg_i32(int a) { return int(0u - unsigned(a)); }\n"},
    {"abs_i32", "__device__ inline int abs_i32(int a) { return a < 0 ? int(0u - unsigned(a)) : a; }\n"},
    {"div_i32", "__device__ inline int div_i32(int a, int b) {\n"
                "    return b == 0 || (b == -1 && a == int(0x80000000u)) ? a : a / b;\n}\n"},
    {"rem_i32", "__device__ inline int rem_i32(int a, int b) {\n"
                "    return b == 0 || (b == -1 && a == int(0x80000000u)) ? 0 : a % b;\n}\n"},
    {"div_u32", "__device__ inline unsigned div_u32(unsigned a, unsigned b) { return b == 0u ? a : a / b; }\n"},
    {"rem_u32", "__device__ inline unsigned rem_u32(unsigned a, unsigned b) { return b == 0u ? 0u : a % b; }\n"},
    {"shl_i32", "__device__ inline int shl_i32(int a, unsigned count) { return int(unsigned(a) << (count & 31u)); }\n"},
    {"shl_u32", "__device__ inline unsigned shl_u32(unsigned a, unsigned count) { return a << (count & 31u); }\n"},
    {"shr_i32", "__device__ inline int shr_i32(int a, unsigned count) { return a >> (count & 31u); }\n"},
    {"shr_u32", "__device__ inline unsigned shr_u32(unsigned a, unsigned count) { return a >> (count & 31u); }\n"},
    {"ones_i32", "__device__ inline int ones_i32(int a) { return __popc(unsigned(a)); }\n"},
    {"ones_u32", "__device__ inline unsigned ones_u32(unsigned a) { return unsigned(__popc(a)); }\n"},
    {"leading_zeros_i32", "__device__ inline int leading_zeros_i32(int a) { return __clz(a); }\n"},
    {"leading_zeros_u32", "__device__ inline unsigned leading_zeros_u32(unsigned a) { return unsigned(__clz(int(a))); }\n"},
    {"trailing_zeros_i32", "__device__ inline int trailing_zeros_i32(int a) { return __clz(int(__brev(unsigned(a)))); }\n"},
    {"trailing_zeros_u32", "__device__ inline unsigned trailing_zeros_u32(unsigned a) { return unsigned(__clz(int(__brev(a)))); }\n"},
    {"reverse_bits_i32", "__device__ inline int reverse_bits_i32(int a) { return int(__brev(unsigned(a))); }\n"},
    {"reverse_bits_u32", "__device__ inline unsigned reverse_bits_u32(unsigned a) { return __brev(a); }\n"},
    // If one operand is NaN the result is the other, as with CUDA's functions. -0 is less than +0, which CUDA
    // doesn't promise. Both results are computed before one is chosen, so that no branch is needed; likewise in
    // the conversions.
    {"min_f32", "__device__ inline float min_f32(float a, float b) {\n"
                "    const float less = fminf(a, b), equal = __uint_as_float(__float_as_uint(a) | __float_as_uint(b));\n"
                "    return a == b ? equal : less;\n}\n"},
    {"max_f32", "__device__ inline float max_f32(float a, float b) {\n"
                "    const float greater = fmaxf(a, b), equal = __uint_as_float(__float_as_uint(a) & __float_as_uint(b));\n"
                "    return a == b ? equal : greater;\n}\n"},
    {"rem_f32", "__device__ inline float rem_f32(float a, float b) { return a - b * truncf(a / b); }\n"},
    // Out-of-range values give the nearest value that both types have. CUDA's own conversions saturate, and
    // give 0 for NaN.
    {"to_i32", "__device__ inline int to_i32(float a) {\n    const int inside = __float2int_rz(a);\n"
               "    return a >= 2147483648.0f ? 2147483520 : inside;\n}\n"},
    {"to_u32", "__device__ inline unsigned to_u32(float a) {\n    const unsigned inside = __float2uint_rz(a);\n"
               "    return a >= 4294967296.0f ? 4294967040u : inside;\n}\n"},
    // All NaNs give the same bits.
    {"bits_i32", "__device__ inline int bits_i32(float a) { return a != a ? 0x7fc00000 : __float_as_int(a); }\n"},
    {"bits_u32", "__device__ inline unsigned bits_u32(float a) { return a != a ? 0x7fc00000u : __float_as_uint(a); }\n"},
    {"load_atomic_i32", "__device__ inline int load_atomic_i32(const int* from) { return *(const volatile int*)from; }\n"},
    {"load_atomic_u32", "__device__ inline unsigned load_atomic_u32(const unsigned* from) { return *(const volatile unsigned*)from; }\n"},
    {"store_atomic_i32", "__device__ inline void store_atomic_i32(int* to, int a) { *(volatile int*)to = a; }\n"},
    {"store_atomic_u32", "__device__ inline void store_atomic_u32(unsigned* to, unsigned a) { *(volatile unsigned*)to = a; }\n"},
    // The last block to arrive starts the next turn. A block that leaves counts as arrived from then on and
    // doesn't wait; when all have left, the state is as at the start. The first fence makes the block's earlier
    // writes visible, the last orders its later accesses.
    {"grid_barrier_state",
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
    {"grid_barrier", "__device__ inline void grid_barrier(grid_barrier_state* state) {\n"
                     "    __syncthreads();\n"
                     "    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) arrive(state, false);\n"
                     "    __syncthreads();\n}\n"},
    // `running` can change only after the second barrier, so all threads of the block read the same value.
    {"leave_grid", "__device__ inline bool grid_barrier(grid_barrier_state* state, unsigned& running) {\n"
                   "    __barrier_sync(0u);\n"
                   "    const bool leaves = load_atomic_u32(&running) == 0u;\n"
                   "    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) arrive(state, leaves);\n"
                   "    __barrier_sync(0u);\n"
                   "    return !leaves;\n}\n"
                   "__device__ inline void leave_grid(grid_barrier_state* state, unsigned& running) {\n"
                   "    atomicSub(&running, 1u);\n"
                   "    while (grid_barrier(state, running)) {\n    }\n}\n"},
    {"array", "template <class T, unsigned N>\nstruct array {\n    T elements[N];\n"
              "    __device__ T& operator[](unsigned i) { return elements[i]; }\n"
              "    __device__ const T& operator[](unsigned i) const { return elements[i]; }\n};\n"},
    // Element whose stride in an array is larger than its size: vec3.
    {"padded", "template <class T>\nstruct alignas(16) padded {\n    T value;\n};\n"},
    // Zeroes in a loop, where `{}` would store element by element.
    {"set_zero", "template <class T>\n__device__ inline void set_zero(T& to) { to = {}; }\n"
                 "template <class T, unsigned N>\n__device__ inline void set_zero(array<T, N>& to) {\n"
                 "    for (unsigned i = 0u; i < N; ++i) set_zero(to[i]);\n}\n"},
    // Uniform that a launch precedence to memory or gives as a value; memory is null for a value.
    {"uniform", "template <class T>\nstruct uniform {\n    const T* memory;\n    T value;\n};\n"},
    {"bool2", "struct bool2 {\n    bool x, y;\n};\n"
              "__device__ inline bool2 make_bool2(bool x, bool y) { return {x, y}; }\n"},
    {"bool3", "struct bool3 {\n    bool x, y, z;\n};\n"
              "__device__ inline bool3 make_bool3(bool x, bool y, bool z) { return {x, y, z}; }\n"},
    {"bool4", "struct bool4 {\n    bool x, y, z, w;\n};\n"
              "__device__ inline bool4 make_bool4(bool x, bool y, bool z, bool w) { return {x, y, z, w}; }\n"},
    // Copies a type's scalars and leaves its padding alone: other invocations may own the bytes there.
    {"store_to", "template <class T>\n__device__ inline void store_to(T& to, const T& from) { to = from; }\n"},
    {"store_to padded", "template <class T>\n__device__ inline void store_to(padded<T>& to, const padded<T>& from) {\n"
                        "    to.value = from.value;\n}\n"},
    {"store_to array", "template <class T, unsigned N>\n"
                       "__device__ inline void store_to(array<T, N>& to, const array<T, N>& from) {\n"
                       "    for (unsigned i = 0u; i < N; ++i) store_to(to[i], from[i]);\n}\n"},
};
// clang-format on

}  // namespace

void Prelude::require(std::string_view name) {
    const auto* const function = std::ranges::find(functions, name, &Function::name);
    if (function != std::end(functions)) add(std::string(name), function->definition);
}

void Prelude::add(const std::string& key, std::string_view definition) {
    if (known_.insert(key).second) text_ += definition;
}

}  // namespace muster::cuda
