// A barrier after which nothing happens, and one before which nothing does.
// bind turns = u32 2
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38
enable muster_grid_barrier;
@group(0) @binding(0) var<uniform> turns: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    if turns > 5 { gridBarrier(); }
    let x = id.x * 2;
    gridBarrier();
    out[id.x] = x;
    if turns < 5 { gridBarrier(); }
}
