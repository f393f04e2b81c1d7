// Barriers at the very beginning, at the end, and one after another.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    gridBarrier();
    gridBarrier();
    out[id.x] = id.x;
    gridBarrier();
    gridBarrier();
}
