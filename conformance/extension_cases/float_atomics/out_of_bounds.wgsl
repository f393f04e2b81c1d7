// An atomic on an f32 outside of its array does nothing and gives zero.
// bind a = f32 1 2 3
// bind at = u32 3 100 4294967295
// bind out = random f32 15 3
// expect a = f32 1 2 3
// expect out = f32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
enable muster_float_atomics;
@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>>;
@group(0) @binding(1) var<storage> at: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i * 5] = atomicLoad(&a[at[i]]);
    out[i * 5 + 1] = atomicAdd(&a[at[i]], 1.5);
    out[i * 5 + 2] = atomicMin(&a[at[i]], -1);
    out[i * 5 + 3] = atomicMax(&a[at[i]], 9);
    out[i * 5 + 4] = atomicExchange(&a[at[i]], 7);
    atomicStore(&a[at[i]], 8);
}
