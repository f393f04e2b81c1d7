// Tests the host's replacement for a GPU (support/cuda_shim/): its functions for kernels, and the mistakes of
// kernels that it detects.
#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/cuda_host.hpp"
#include "support/guarded_memory.hpp"

using namespace muster;
using namespace muster::test;
using cuda::CudaSource;
using cuda::ParameterKind;

namespace {

/// A kernel of one parameter, `unsigned* out`.
CudaSource source_of(const std::string& name, const std::string& body, std::uint32_t threads = 8,
                     const std::string& before = "") {
    CudaSource source;
    source.entry = name;
    source.text =
        fmt::format("{}extern \"C\" __global__ void __launch_bounds__({}) {}(unsigned* out) {{\n{}\n}}\n",
                    before, threads, name, body);
    source.workgroup_size = {threads, 1, 1};
    source.parameters = {{.kind = ParameterKind::storage, .offset = 0}};
    source.parameter_bytes = 8;
    return source;
}

struct Run {
    std::vector<std::uint32_t> out;
    std::string wrong;
};

Run run(const CudaSource& source, std::uint64_t seed = 1, HostBuild how = HostBuild::plain,
        Extent3 grid = {1, 1, 1}, std::size_t words = 64) {
    const auto kernel = HostKernels::process(how).find(source);
    if (!kernel) return {{}, kernel.error().to_string()};
    const GuardedMemory memory(4 * words);
    std::vector<std::uint32_t> out(words, 7);
    std::memcpy(memory.data(), out.data(), 4 * words);
    const std::byte* const address = memory.data();
    const auto done = kernel->launch(std::as_bytes(std::span(&address, 1)), grid, seed);
    std::memcpy(out.data(), memory.data(), 4 * words);
    return {out, done ? "" : done.error().message};
}

constexpr const char* reversed = R"(
    __shared__ unsigned tile[8];
    tile[threadIdx.x] = threadIdx.x + 1u;
    __syncthreads();
    out[threadIdx.x] = tile[7u - threadIdx.x];)";

const std::vector<std::uint32_t> right{8, 7, 6, 5, 4, 3, 2, 1};

bool is_right(const Run& run) { return std::ranges::equal(std::span(run.out).first(8), right); }

}  // namespace

TEST_CASE("threads of a warp meet in its functions, and one that is missing shows") {
    const CudaSource meeting = source_of("meeting", R"(
    const unsigned mask = threadIdx.x < 32u ? ~0u : 255u;
    const unsigned even = __ballot_sync(mask, threadIdx.x % 2u == 0u);
    out[threadIdx.x] = __shfl_sync(mask, even + threadIdx.x, 3u);)",
                                         40);
    const CudaSource apart = source_of("apart", R"(
    unsigned mask = 0u;
    if (threadIdx.x < 3u) mask = __activemask();
    else mask = __activemask();
    out[threadIdx.x] = mask + 1000u * __shfl_sync(~0u, threadIdx.x, 7u);)",
                                       32);
    const CudaSource missing =
        source_of("missing", "if (threadIdx.x != 5u) out[threadIdx.x] = __ballot_sync(~0u, true);", 32);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Run met = run(meeting, seed), parts = run(apart, seed);
        for (std::uint32_t i = 0; i < 40; ++i) CHECK(met.out[i] == (i < 32 ? 0x55555555u + 3 : 0x55u + 35));
        for (std::uint32_t i = 0; i < 32; ++i) CHECK(parts.out[i] == (i < 3 ? 7u : ~7u) + 7000);
        CHECK(run(missing, seed).wrong == "A thread waits for others of its warp that don't come.");
    }
}

TEST_CASE("threads wait for each other at a barrier, and one that is missing shows") {
    const CudaSource whole = source_of("reversed", reversed);
    std::string body = reversed;
    body.erase(body.find("__syncthreads();"), 16);
    const CudaSource without = source_of("reversed_without", body);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CHECK(is_right(run(whole, seed)));
        CHECK_FALSE(is_right(run(without, seed)));
    }
}

TEST_CASE("threads and blocks come in another order with each seed, each once") {
    const CudaSource order = source_of("order", R"(
    const unsigned turn = atomicAdd(out, 1u);
    out[1u + turn] = (blockIdx.z * gridDim.y + blockIdx.y) * 100u + blockIdx.x * 10u + threadIdx.x;)",
                                       4);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Run made = run(order, seed, HostBuild::plain, {2, 3, 2});
        CHECK(made.out[0] == 7 + 48);
        std::vector<std::uint32_t> turns(made.out.begin() + 8, made.out.begin() + 8 + 48);
        seen.insert(turns);
        std::ranges::sort(turns);
        for (std::uint32_t k = 0; k < 48; ++k) CHECK(turns[k] == k / 8 * 100 + k / 4 % 2 * 10 + k % 4);
    }
    CHECK(seen.size() == 10);
}

TEST_CASE("shared memory holds rubbish when a block begins, static and dynamic alike") {
    const CudaSource fixed = source_of("rubbish", R"(
    __shared__ unsigned tile[8];
    out[threadIdx.x] = tile[threadIdx.x];
    tile[threadIdx.x] = 0u;)");
    CudaSource dynamic = source_of("dynamic_rubbish", R"(
    extern __shared__ __align__(16) uint4 workgroup_memory[];
    out[threadIdx.x] = workgroup_memory[threadIdx.x].w;
    workgroup_memory[threadIdx.x].w = 0u;)");
    dynamic.dynamic_shared_bytes = 8 * 16;
    for (const CudaSource& source : {fixed, dynamic})
        for (int turn = 0; turn < 2; ++turn) {
            const Run made = run(source, 1, HostBuild::plain, {3, 1, 1});
            CHECK(made.wrong == "");
            for (std::size_t k = 0; k < 8; ++k) CHECK(made.out[k] == 0xa5a5a5a5u);
        }
}

TEST_CASE("threads of one block that don't come to the same barrier are told of") {
    CHECK(run(source_of("unlike", R"(
    if (threadIdx.x == 3u) { __syncthreads(); } else { __syncthreads(); })"))
              .wrong == "Threads of one block wait at unlike barriers.");
    CHECK(run(source_of("ended", "if (threadIdx.x == 3u) return;\n__syncthreads();")).wrong ==
          "Some threads wait at a barrier and others have ended.");
    CHECK(run(source_of("ended_later", "__syncthreads();\nif (threadIdx.x == 3u) return;")).wrong == "");
}

namespace {

/// A kernel to be launched cooperatively.
CudaSource together(const std::string& name, const std::string& body) {
    CudaSource source = source_of(name, body);
    source.parameters.clear();
    source.barrier_state_offset = 0;
    return source;
}

}  // namespace

TEST_CASE("all blocks of a cooperative launch are there at once, each with shared memory of its own") {
    const CudaSource meet = together("meet", R"(
    __shared__ unsigned own[8];
    const unsigned rubbish = own[threadIdx.x];
    own[threadIdx.x] = blockIdx.x * 8u + threadIdx.x;
    atomicAdd(out, 1u);
    while (*(volatile unsigned*)out != 7u + 40u) __nanosleep(20u);
    __syncthreads();
    out[1u + blockIdx.x * 8u + threadIdx.x] = rubbish == 0xa5a5a5a5u ? own[7u - threadIdx.x] : 0u;)");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Run made = run(meet, seed, HostBuild::plain, {5, 1, 1});
        CHECK(made.wrong == "");
        for (std::uint32_t k = 0; k < 40; ++k) CHECK(made.out[1 + k] == k / 8 * 8 + 7 - k % 8);
    }
}

TEST_CASE("blocks that wait for what none of them will do are told of, and the next launch runs") {
    CHECK(run(together("for_ever", R"(
    if (blockIdx.x == 1u) return;
    __syncthreads();
    while (*(volatile unsigned*)out == 7u) __nanosleep(20u);)"),
              1, HostBuild::plain, {3, 1, 1})
              .wrong == "Blocks wait for each other for ever.");
    CHECK(is_right(run(source_of("reversed", reversed))));
}

TEST_CASE("threads of a block may meet in different places by __barrier_sync, and not by __syncthreads") {
    const auto with = [&](const std::string& name, const std::string& barrier) {
        return together(name, fmt::format(R"(
    __shared__ unsigned tile[8];
    tile[threadIdx.x] = threadIdx.x + 1u;
    __syncthreads();
    if (threadIdx.x < 3u) {{ {0}; }} else {{ {0}; }}
    out[threadIdx.x] = tile[7u - threadIdx.x];)",
                                          barrier));
    };
    CHECK(is_right(run(with("apart", "__barrier_sync(0u)"))));
    CHECK(run(with("apart_aligned", "__syncthreads()")).wrong ==
          "Threads of one block wait at unlike barriers.");
    CHECK(run(with("not_all", "if (threadIdx.x != 5u) __barrier_sync(0u)")).wrong ==
          "Some threads wait at a barrier and others have ended.");
}

TEST_CASE("what a thread may not do ends the launch, and the next one runs") {
    const CudaSource beyond = source_of("beyond", "out[64] = 1u;");
    const CudaSource deep = source_of("deep", R"(
    volatile unsigned big[1u << 20];
    for (unsigned k = 0u; k < 1u << 20; ++k) big[k] = k;
    __syncthreads();
    out[0] = big[threadIdx.x];)");
    for (const CudaSource& source : {beyond, deep})
        CHECK(run(source).wrong == "A thread touched memory that isn't its own.");
    CHECK(run(source_of("divides", "volatile unsigned zero = 0u;\nout[0] = out[1] / zero;")).wrong ==
          "A thread divided by zero, or beyond what a type has.");
    CHECK(is_right(run(source_of("reversed", reversed))));
}

TEST_CASE("what C++ leaves undefined ends the launch of a trapping build, and of no other") {
    constexpr std::array<const char*, 5> undefined{
        "out[0] = unsigned(int(out[0]) + 2147483647);",                            // overflow
        "out[0] = 1u << (out[0] * 8u);",                                           // shift
        "unsigned few[4] = {};\nfew[out[0] & 3u] = 1u;\nout[0] = few[out[0]];",    // index
        "out[0] = unsigned(__uint_as_float(0x7f800000u + 0u * out[0]));",          // conversion
        "out[0] = unsigned(reinterpret_cast<float4*>(out + (out[0] & 1u))->x);"};  // alignment
    for (std::size_t k = 0; k < undefined.size(); ++k) {
        CAPTURE(undefined[k]);
        const CudaSource source = source_of(fmt::format("undefined_{}", k), undefined[k], 1);
        CHECK(run(source).wrong == "");
        CHECK(run(source, 1, HostBuild::trapping).wrong == "A thread did what C++ leaves undefined.");
    }
    CHECK(is_right(run(source_of("reversed", reversed), 1, HostBuild::trapping)));
}

TEST_CASE("a kernel's parameters lie where its source says, or it isn't run") {
    CudaSource source = source_of("parameters", "");
    source.text = R"(
struct alignas(16) big { unsigned words[5]; };
extern "C" __global__ void parameters(unsigned* out, const unsigned one, const float4 four, const uint3 three, const big last) {
    out[0] = one;
    out[1] = unsigned(four.w);
    out[2] = three.y;
    out[3] = last.words[4];
})";
    source.workgroup_size = {1, 1, 1};
    source.parameters = {
        {.kind = ParameterKind::storage, .offset = 0, .length_offset = 8, .array_stride = 4},
        {.kind = ParameterKind::uniform_value, .offset = 16, .value_offset = 16, .value_bytes = 16},
        {.kind = ParameterKind::uniform_value, .offset = 32, .value_offset = 32, .value_bytes = 12},
        {.kind = ParameterKind::uniform_value, .offset = 48, .value_offset = 48, .value_bytes = 20}};
    source.parameter_bytes = 80;
    const auto kernel = HostKernels::process(HostBuild::plain).find(source);
    REQUIRE_MESSAGE(kernel, (kernel ? "" : kernel.error().to_string()));
    std::array<std::uint32_t, 4> out{};
    alignas(16) std::array<std::byte, 80> block{};
    const auto put = [&](std::size_t offset, auto value) {
        std::memcpy(block.data() + offset, &value, sizeof value);
    };
    put(0, reinterpret_cast<std::uintptr_t>(out.data()));
    put(8, 11u);
    put(28, 12.0f);
    put(36, 13u);
    put(64, 14u);
    REQUIRE(kernel->launch(block, {1, 1, 1}, 1));
    CHECK(out == std::array<std::uint32_t, 4>{11, 12, 13, 14});

    CudaSource wrong = source;
    wrong.parameters[2].offset = 36;
    CHECK(HostKernels::process(HostBuild::plain).find(wrong).error().message ==
          "Parameters of parameters: told / as the compiler has them: 0 / 0, 8 / 8, 16 / 16, 36 / 32, 48 / "
          "48, in "
          "all 80 / 80 bytes.");
    wrong = source;
    wrong.parameter_bytes = 68;
    CHECK_FALSE(HostKernels::process(HostBuild::plain).find(wrong));
}

TEST_CASE("a text that the compiler refuses is told with its line, and spoils no other of its unit") {
    const CudaSource broken = source_of("broken", "out[0] = nothing;");
    const CudaSource sound = source_of("sound", "out[0] = 3u;");
    HostKernels kernels(HostBuild::plain);
    kernels.build(std::array{broken, sound});
    const auto refused = kernels.find(broken);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    CHECK(refused.error().message.find("broken.cu:2:") != std::string::npos);
    CHECK(kernels.find(sound));
}

TEST_CASE("stand-ins for CUDA's functions give what CUDA documents") {
    const Run made = run(source_of("functions", R"(
    const float nan = __uint_as_float(0x7fc00000u), inf = __uint_as_float(0x7f800000u);
    unsigned k = 0u;
    out[k++] = unsigned(__clz(0)); out[k++] = unsigned(__clz(1)); out[k++] = unsigned(__clz(-1));
    out[k++] = unsigned(__popc(0xf0f0u)); out[k++] = __brev(6u);
    out[k++] = unsigned(__float2int_rz(nan)); out[k++] = unsigned(__float2int_rz(3e9f));
    out[k++] = unsigned(__float2int_rz(-inf)); out[k++] = unsigned(__float2int_rz(-1.9f));
    out[k++] = __float2uint_rz(-1.0f); out[k++] = __float2uint_rz(inf); out[k++] = __float2uint_rz(3e9f);
    out[k++] = __float_as_uint(fminf(nan, 1.0f)); out[k++] = __float_as_uint(fmaxf(1.0f, nan));
    out[k++] = __float_as_uint(fminf(-1.0f, 2.0f)); out[k++] = __float_as_uint(fmaxf(-1.0f, 2.0f));
    out[k++] = __float_as_uint(rintf(2.5f)); out[k++] = __float_as_uint(truncf(-2.5f));
    out[k++] = __float_as_uint(fmaf(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f));
    out[40] = 5u;
    out[k++] = atomicAdd(out + 40, 3u); out[k++] = atomicSub(out + 40, 9u); out[k++] = atomicMin(out + 40, 12u);
    out[k++] = unsigned(atomicMin((int*)out + 40, -2)); out[k++] = atomicMax(out + 40, 3u);
    out[k++] = unsigned(atomicMax((int*)out + 40, 20)); out[k++] = atomicAnd(out + 40, 6u);
    out[k++] = atomicOr(out + 40, 3u); out[k++] = atomicXor(out + 40, 5u); out[k++] = atomicExch(out + 40, 77u);
    out[k++] = atomicCAS(out + 40, 1u, 2u); out[k++] = atomicCAS(out + 40, 77u, 9u);
    )",
                                   1));
    CHECK(made.wrong == "");
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    const auto bits_of = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
    const std::vector<std::uint32_t> expected{
        32, 31, 0, 8, 0x60000000u, 0, INT_MAX, bits_of(INT_MIN), bits_of(-1), 0, UINT32_MAX, 3000000000u,
        bits(1.0f), bits(1.0f), bits(-1.0f), bits(2.0f), bits(2.0f), bits(-2.0f), bits(0x1p-46f),
        // The word's value before each atomic operation.
        5, 8, UINT32_MAX, 12, bits_of(-2), bits_of(-2), 20, 4, 7, 2, 77, 77};
    for (std::size_t k = 0; k < expected.size(); ++k) {
        CAPTURE(k);
        CHECK(made.out[k] == expected[k]);
    }
    CHECK(made.out[40] == 9);
}
