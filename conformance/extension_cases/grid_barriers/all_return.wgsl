// Barriers after which no invocation is left aren't an obstacle.
// bind turns = u32 1
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
enable muster_grid_barrier;
@group(0) @binding(0) var<uniform> turns: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    out[id.x] = id.x;
    if turns == 1 { return; }
    gridBarrier();
    out[id.x] = 100;
    gridBarrier();
    out[id.x] = 200;
}
