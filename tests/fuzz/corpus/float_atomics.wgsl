enable muster_float_atomics;
@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>>;
var<workgroup> sum: atomic<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&sum, f32(i) * 0.25);
    workgroupBarrier();
    let old = atomicMax(&a[i % 3], atomicLoad(&sum));
    atomicSub(&a[i], old);
    atomicMin(&a[1], atomicExchange(&a[2], 1.5));
    atomicStore(&a[i + 4], -0.0);
}
