// The text for operations of subgroups: masks, where control flow is uniform and where it may diverge.
#include "backend-cuda/workshop.hpp"
#include "support/subgroup_kernels.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;
using muster::test::subgroup_kernel;

namespace {

constexpr const char* may_diverge_everywhere = "diagnostic(off, subgroup_uniformity);";

std::string text_of(const char* body, std::uint32_t threads, std::string_view head = "") {
    return lowered(subgroup_kernel(body, threads, head)).text;
}

}  // namespace

TEST_CASE("where control flow is uniform, all threads that the warp has are named") {
    const std::string whole = text_of("subgroupShuffle(x, lane ^ 1u)", 64);
    CHECK(contains(whole, "__shfl_sync(~0u, x, "));
    CHECK_FALSE(contains(whole, "warp = "));
    const std::string partial = text_of("subgroupShuffle(x, lane ^ 1u)", 72);
    CHECK(contains(partial, "const unsigned warp = (threadIdx.x) / 32u < 2u ? ~0u : 255u;"));
    CHECK(contains(partial, "__shfl_sync(warp, x, "));
    // What is written with shuffles is as uniform as what it replaces.
    for (const char* body : muster::test::subgroup_bodies)
        CHECK_FALSE(contains(text_of(body, 64), "__activemask"));
}

TEST_CASE("where control flow may diverge, the threads are those that the device has together") {
    const std::string text = text_of("subgroupBallot(true).x", 64, may_diverge_everywhere);
    CHECK(contains(text, "make_uint4(__ballot_sync(__activemask(), true), 0u, 0u, 0u)"));
    for (const char* body : muster::test::divergent_bodies) {
        const std::string all = text_of(body, 72, may_diverge_everywhere);
        CHECK(contains(all, "__activemask()"));
        CHECK_FALSE(contains(all, "sync(~0u"));
        CHECK_FALSE(contains(all, "sync(warp"));
    }
}

TEST_CASE("an operation isn't computed in a choice, but before it, by all that get there") {
    const std::string text = text_of("select(1u, subgroupShuffle(x, lane ^ 1u), lane > 3u)", 64);
    CHECK(contains(text, "= __shfl_sync(~0u, x, "));
    CHECK_FALSE(contains(text, "? __shfl_sync"));
    CHECK_FALSE(contains(text, ": __shfl_sync"));
}

TEST_CASE("threads are numbered within warps by their index in the block") {
    const std::string text = text_of("lane + 256u * group + 65536u * groups + size", 72);
    CHECK(contains(text, "subgroup_invocation_id = (threadIdx.x) % 32u;"));
    CHECK(contains(text, "subgroup_id = (threadIdx.x) / 32u;"));
    CHECK(contains(text, "num_subgroups = 3u;"));
    CHECK(contains(text, "subgroup_size = 32u;"));
}

TEST_CASE("a vector is shuffled by components") {
    const std::string text =
        text_of("let v = subgroupShuffle(vec2(f, f + 1.0), 3u); bitcast<u32>(v.x * v.y)", 64);
    CHECK(contains(text, ".x, 3u), __shfl_sync(~0u, "));
}
