enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4u>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32,
                                     @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
    let x = a[i];
    let sum = subgroupAdd(x) + subgroupInclusiveAdd(x) * subgroupExclusiveMul(x);
    let most = subgroupMax(i32(x)) - subgroupMin(vec2i(i32(x), 3)).y;
    let votes = subgroupBallot((x > 2) & subgroupAny(lane == 3));
    let other = subgroupShuffleXor(i, 1) + subgroupShuffleDown(i, 2) + subgroupBroadcast(i, 5) + quadSwapX(i);
    if (subgroupElect()) { out[0] = votes; }
    out[i] = vec4u(u32(sum), u32(most), other ^ size, votes.x);
}
