// In a branch that only some take, operations are of those alone.
// bind a = random u32 128 7
// bind out = zeros u32 256
diagnostic(off, subgroup_uniformity);
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let f = f32(x % 100000u) * 0.37 - 9000.0;
    var r = 0u;
    var s = 0.0;
    if (x & 8u) != 0u { r = subgroupAdd(x) + subgroupBallot(true).x; } else { r = subgroupExclusiveAdd(x) + u32(subgroupElect()); }
    if (x & 24u) != 0u { s = subgroupAdd(f) - subgroupInclusiveMul(f * 0.001) + subgroupBroadcastFirst(f); }
    out[i * 2u] = r;
    out[i * 2u + 1u] = bitcast<u32>(s);
}
