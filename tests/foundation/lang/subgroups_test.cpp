// Subgroups in C++ kernels: the same programs as from WGSL text.
#include <doctest/doctest.h>
#include <support/same_program.hpp>

#include <muster/foundation/lang/kernel.hpp>

using namespace muster;
using namespace muster::lang;
using namespace muster::test;

TEST_CASE("functions of subgroups in C++ and in WGSL have one fingerprint") {
    const auto made = kernel("all(a, out, u)", {64}, [](In<vec2<f32>> a, Out<vec2<f32>> out, InOut<u32> u) {
        auto i = local_invocation_index();
        Value<vec2<f32>> p = a[i];
        Value<f32> x = p.x();
        Value<vec2<f32>> v = subgroup_add(p);
        Value<u32> n = u[i];
        out[i] = v + subgroup_shuffle_xor(v, 1u) * quad_swap_diagonal(x);
        u[i] = subgroup_exclusive_add(n) ^ subgroup_or(n) ^ subgroup_ballot(x > 1.0f).x();
        u[i + 1u] =
            subgroup_broadcast(n, 3) + subgroup_shuffle(n, subgroup_size() - subgroup_invocation_id() - 1u);
        if_(subgroup_any(n == 2u),
            [&] { u[subgroup_id() + num_subgroups()] = quad_broadcast(subgroup_broadcast_first(n), 2); });
        let_subgroups_diverge();
        if_(subgroup_elect(), [&] { u[i] = subgroup_min(n); });
    });
    check_same(made, R"(
        enable subgroups;
        @group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>>;
        @group(0) @binding(2) var<storage, read_write> u: array<u32>;
        @compute @workgroup_size(64)
        fn all(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32,
               @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) own: u32,
               @builtin(num_subgroups) count: u32) {
            let p = a[i];
            let x = p.x;
            let v = subgroupAdd(p);
            let n = u[i];
            out[i] = v + subgroupShuffleXor(v, 1u) * quadSwapDiagonal(x);
            u[i] = subgroupExclusiveAdd(n) ^ subgroupOr(n) ^ subgroupBallot(x > 1.0).x;
            u[i + 1u] = subgroupBroadcast(n, 3) + subgroupShuffle(n, size - lane - 1u);
            if subgroupAny(n == 2u) { u[own + count] = quadBroadcast(subgroupBroadcastFirst(n), 2); }
            @diagnostic(off, subgroup_uniformity) {
                if subgroupElect() { u[i] = subgroupMin(n); }
            }
        })");
}
