// Grid barriers in the text, and in NVRTC's PTX of it.
#include "backend-cuda/workshop.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;

namespace {

std::string in_grid(const std::string& body) {
    return "enable muster_grid_barrier;\n"
           "@group(0) @binding(0) var<storage, read_write> data: array<u32, 64>;\n"
           "@group(0) @binding(1) var<storage, read_write> word: atomic<i32>;\n"
           "@group(0) @binding(2) var<storage, read_write> list: array<u32>;\n"
           "@group(0) @binding(3) var<uniform> n: u32;\n"
           "@compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32) {\n" +
           body + "\n}\n";
}
CudaSource of_grid(const std::string& body, bool dispatched = false) {
    return lowered(in_grid(body), {.dispatched = dispatched, .debug = false});
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// The kernel, without the code before it.
std::string kernel_of(const CudaSource& source) {
    return source.text.substr(source.text.find("extern \"C\""));
}

}  // namespace

TEST_CASE("a grid barrier is a call, and its memory the last parameter") {
    const std::string body = "data[i] = 1; gridBarrier(); data[i] = data[i + 1] + n;";
    for (const bool dispatched : {false, true}) {
        const CudaSource source = of_grid(body, dispatched);
        CHECK(contains(source.text, "grid_barrier_state* barrier_state) {"));
        CHECK(contains(source.text, "    grid_barrier(barrier_state);\n"));
        CHECK(contains(source.text, "// To be launched cooperatively"));
        CHECK_FALSE(contains(source.text, "running"));
        REQUIRE(source.barrier_state_offset);
        CHECK(*source.barrier_state_offset % 8 == 0);
        CHECK(*source.barrier_state_offset + 8 == source.parameter_bytes);
        CHECK(source.static_shared_bytes == 0);
    }
    const CudaSource without = of_grid("data[i] = 1;");
    CHECK_FALSE(without.barrier_state_offset);
    CHECK_FALSE(contains(without.text, "barrier"));
    CHECK_FALSE(contains(without.text, "cooperatively"));
}

TEST_CASE("who returns before a grid barrier leaves the grid, and so does who comes to the end") {
    const CudaSource early = of_grid("if i >= n { return; } gridBarrier(); data[i] = 1;");
    CHECK(contains(early.text, "        leave_grid(barrier_state, running);\n        return;\n    }\n"));
    CHECK(contains(early.text, "    grid_barrier(barrier_state, running);\n"));
    CHECK(contains(early.text, " = 1u;\n    leave_grid(barrier_state, running);\n}\n"));
    CHECK(contains(
        early.text,
        "    __shared__ unsigned running;\n    if (threadIdx.x + threadIdx.y * 8u == 0u) running = 32u;\n"
        "    __syncthreads();\n"));
    CHECK(early.static_shared_bytes == 4);
    // Only once, since the kernel ends in a return.
    CHECK(count(kernel_of(of_grid("if i >= n { return; } gridBarrier(); data[i] = 1; return;")),
                "leave_grid(") == 2);
    // Nobody waits for an invocation that returns after all barriers.
    const CudaSource late = of_grid("gridBarrier(); if i >= n { return; } data[i] = 1;");
    CHECK_FALSE(contains(late.text, "running"));
    CHECK(contains(late.text, "        return;\n"));
}

TEST_CASE("threads that have returned are counted beside all of 48 KiB") {
    const auto kernel = [](const std::string& words) {
        return lowered("enable muster_grid_barrier; var<workgroup> tile: array<u32, " + words +
                       ">;\n@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                       "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
                       "if y[i] == 3 { return; } gridBarrier(); y[i] = tile[i]; }");
    };
    CHECK(kernel("12284").dynamic_shared_bytes == 0);
    CHECK(kernel("12284").static_shared_bytes == 12285 * 4);
    CHECK(kernel("12288").dynamic_shared_bytes == 48 << 10);
    CHECK(kernel("12288").static_shared_bytes == 4);
}

TEST_CASE("a word that is read for all is overwritten by nobody before all have it") {
    const auto barriers = [](const std::string& body) {
        return count(kernel_of(of_grid(body)), "grid_barrier(");
    };
    CHECK(barriers("gridBarrier(); data[i] = u32(gridUniformLoad(&word));") == 1);
    CHECK(barriers("gridBarrier(); data[i] = u32(gridUniformLoad(&word)); atomicAdd(&word, 1);") == 2);
    CHECK(barriers("gridBarrier(); _ = gridUniformLoad(&word); gridBarrier(); atomicAdd(&word, 1);") == 2);
    const CudaSource row = of_grid(
        "gridBarrier(); let a = gridUniformLoad(&list[1]); let b = gridUniformLoad(&list[a]);\n"
        "let c = gridUniformLoad(&word); list[i] = a + b; data[i] = u32(c);");
    CHECK(count(kernel_of(row), "grid_barrier(") == 2);
    CHECK(contains(row.text,
                   "const unsigned a = 1u < list_length ? load_atomic_u32(&list[1u]) : 0u;\n"
                   "    const unsigned b = a < list_length ? load_atomic_u32(&list[a]) : 0u;\n"
                   "    const int c = load_atomic_i32(word);\n"
                   "    grid_barrier(barrier_state);\n"));
}

TEST_CASE("what was loaded before a grid barrier is a local, and names are the source's") {
    const CudaSource source = of_grid(
        "let leave_grid = data[i]; gridBarrier(); var running = leave_grid; if n == 3 { return; } "
        "gridBarrier();\n"
        "data[i + 1] = running;");
    CHECK(contains(source.text,
                   "const unsigned leave_grid_ = (*data)[local_invocation_index];\n"
                   "    grid_barrier(barrier_state, running_2);\n"
                   "    unsigned running = leave_grid_;\n"));
    CHECK(contains(source.text, "leave_grid(barrier_state, running_2);"));
}

TEST_CASE("a loop with a grid barrier in it needs no other effect to be kept") {
    const std::string waits = "loop { gridBarrier(); if gridUniformLoad(&word) > 3 { break; } }";
    CHECK_FALSE(contains(of_grid(waits).text, "asm volatile"));
    CHECK(contains(of_grid("gridBarrier(); loop { if data[1] > 3 { break; } }").text, "asm volatile"));
}

TEST_CASE("NVRTC keeps the barriers' order: nothing is loaded ahead, fences stand where they do") {
    if (!nvrtc()) return;
    const ValidProgram whole =
        parse(in_grid("if i == 5 { data[0] = 7; } let a = data[1]; gridBarrier();\n"
                      "if i == 6 { data[1] = 9; } gridBarrier(); list[i] = data[1] + a;"));
    const std::string ptx = ptx_of(whole, lowered(whole));
    CHECK(count(ptx, "bar.sync") == 4);
    CHECK(count(ptx, "membar.gl") == 8);
    CHECK(ptx.find("ld.global", ptx.rfind("bar.sync")) != ptx.npos);
    CHECK_FALSE(contains(ptx, "ld.global.nc"));
    // Threads of a warp may wait at different points: not bar.sync, which is barrier.sync.aligned.
    const ValidProgram early =
        parse(in_grid("if data[i] >= n { return; } gridBarrier(); list[i] = data[1];"));
    const std::string masked = ptx_of(early, lowered(early));
    CHECK(count(masked, "bar.sync") == 1);
    CHECK(count(masked, "barrier.sync") >= 4);
    CHECK_FALSE(contains(masked, ".aligned"));
}
