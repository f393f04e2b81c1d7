// The last subgroup of a workgroup may have fewer invocations: sums, prefixes, ballots and the first of those there are.
// bind a = random u32 90 7
// bind out = zeros u32 810
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(90)
fn main(@builtin(local_invocation_index) i: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_id) group: u32, @builtin(num_subgroups) groups: u32) {
    let x = a[i];
    let f = f32(x % 100000u) * 0.37 - 9000.0;
    let first = i * 9u;
    let all = subgroupBallot(true);
    out[first] = lane + 256u * group + 65536u * groups;
    out[first + 1u] = subgroupAdd(x);
    out[first + 2u] = bitcast<u32>(subgroupAdd(f));
    out[first + 3u] = bitcast<u32>(subgroupMax(f));
    out[first + 4u] = subgroupExclusiveAdd(x);
    out[first + 5u] = bitcast<u32>(subgroupInclusiveMul(f * 0.001));
    out[first + 6u] = all.x ^ (3u * all.y) ^ (5u * all.z) ^ (7u * all.w);
    out[first + 7u] = subgroupBroadcastFirst(x) + u32(subgroupElect());
    out[first + 8u] = u32(subgroupAll(i < 90u)) + size;
}
