// Each atomic on an f32 returns the old value and stores the new one.
// bind a = f32 5.5 5.5 5.5 5.5 -2 0.5 3
// bind out = zeros f32 7
// expect a = f32 8.75 2.25 9 -3 77 0.5 -8.25
// expect out = f32 5.5 5.5 5.5 5.5 -2 0.5 -8.25
enable muster_float_atomics;
@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>, 7>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = atomicAdd(&a[0], 3.25);
    out[1] = atomicSub(&a[1], 3.25);
    out[2] = atomicMax(&a[2], 9);
    out[3] = atomicMin(&a[3], -3);
    out[4] = atomicExchange(&a[4], 77);
    out[5] = atomicLoad(&a[5]);
    atomicStore(&a[6], -8.25);
    out[6] = atomicLoad(&a[6]);
}
