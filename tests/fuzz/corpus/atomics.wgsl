struct S { count: atomic<u32>, least: atomic<i32>, tail: array<atomic<u32>> }
@group(0) @binding(0) var<storage, read_write> s: S;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> bins: array<atomic<u32>, 8>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u) {
    let old = atomicAdd(&bins[i % 8], i);
    workgroupBarrier();
    atomicMin(&s.least, -i32(old));
    atomicOr(&s.tail[i], 1u << (i & 31));
    let r = atomicCompareExchangeWeak(&s.count, i, i + w.x);
    if (r.exchanged) { atomicStore(&s.tail[3], r.old_value); }
    out[i] = atomicLoad(&bins[i & 7]) + atomicExchange(&s.tail[i + 1], 5);
    storageBarrier();
    if (workgroupUniformLoad(&bins[1]) > 3) { out[0] = 1; workgroupBarrier(); }
}
