// Sums of small integers and of quarters, which no order of the additions changes: no addition is lost.
// bind sums = zeros f32 3
// workgroups 16
// expect sums = f32 32768 130560 -16384
enable muster_float_atomics;
@group(0) @binding(0) var<storage, read_write> sums: array<atomic<f32>>;
@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
    for (var turn = 0; turn < 8; turn++) { atomicAdd(&sums[0], 1.0); }
    atomicAdd(&sums[1], f32(i) * 0.25);
    for (var turn = 0; turn < 4; turn++) { atomicSub(&sums[2], 1.0); }
}
