// Operations of subgroups on numbers of 64 bits.
// bind a = random u64 192 11
// bind out = zeros u64 1536
diagnostic(off, subgroup_uniformity);
enable subgroups, muster_int64, muster_float64;
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u64>>;
@compute @workgroup_size(96)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_size) size: u32) {
    let x = a[i];
    let s = bitcast<i64>(a[96 + i]);
    let d = f64(s) * 1e-17 + f64(i);
    let left = min(size, 96 - (i - lane));
    let v = vec2(d, -d * 0.3lf);
    out[i] = vec4(subgroupAdd(x), bitcast<u64>(subgroupMin(s)), bitcast<u64>(subgroupMax(d)), subgroupXor(x));
    out[96 + i] = vec4(subgroupMul(x | 1), bitcast<u64>(subgroupInclusiveAdd(s)), bitcast<u64>(subgroupExclusiveAdd(d)),
                       bitcast<u64>(subgroupAdd(v).y));
    out[192 + i] = vec4(subgroupShuffle(x, (lane * 5) % left), bitcast<u64>(subgroupShuffleXor(d, 1)),
                        subgroupBroadcastFirst(x), bitcast<u64>(subgroupBroadcast(v, 2).x));
    if (x & 64) != 0 {
        out[288 + i] = vec4(subgroupAdd(x), bitcast<u64>(subgroupInclusiveMul(d)), subgroupAnd(x),
                            bitcast<u64>(quadSwapX(s)) * 0);
        if lane > 2 { return; }
    }
    out[288 + i].w = subgroupOr(x) ^ subgroupExclusiveMul(x | 1);
}
