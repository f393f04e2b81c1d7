// A sum of f32 over the grid is whole behind a grid barrier, and an old value is kept across it.
// bind sum = zeros f32 1
// bind out = zeros f32 20
// workgroups 5
// expect sum = f32 20
// expect out = f32 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20
enable muster_float_atomics;
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> sum: atomic<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main() {
    let place = u32(atomicAdd(&sum, 1));
    gridBarrier();
    out[place] = atomicLoad(&sum);
}
