// Partly written workgroup memory, and a counter in it, live across; the rest is zero.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 6002 6002 6002 6002 6006 6006 6006 6006 6010 6010 6010 6010 6014 6014 6014 6014 6018 6018 6018 6018
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
var<workgroup> count: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    if lane == 1 { tile[2] = id.x + 1; }
    atomicAdd(&count, lane);
    gridBarrier();
    out[id.x] = tile[2] + atomicLoad(&count) * 1000 + tile[5];
}
