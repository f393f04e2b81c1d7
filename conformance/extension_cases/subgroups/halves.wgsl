// Operations of f16: each sum is rounded to f16, and so is each step of a product and of a prefix.
// bind a = random u32 128 7
// bind out = zeros u32 512
enable f16;
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
    let x = a[i];
    let h = f16(f32(x % 2048u) * 0.043 - 40.0);
    let g = f16(0.75 + f32(x % 512u) * 0.001);
    let first = i * 4u;
    out[first] = bitcast<u32>(vec2(subgroupAdd(h), subgroupMul(g)));
    out[first + 1u] = bitcast<u32>(vec2(subgroupInclusiveAdd(h), subgroupExclusiveMul(g)));
    out[first + 2u] = bitcast<u32>(vec2(subgroupMin(h), subgroupMax(-h)));
    out[first + 3u] = bitcast<u32>(subgroupShuffle(vec2(h, g), lane ^ 1u) + vec2(subgroupBroadcastFirst(h)));
}
