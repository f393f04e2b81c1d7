// Half of each workgroup has returned; the others go on with its memory.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1030 0 1010 0 1070 0 1050 0 1110 0 1090 0 1150 0 1130 0 1190 0 1170 0
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    if lane % 2 == 1 { return; }
    tile[lane] = id.x + 1;
    gridBarrier();
    out[id.x] = tile[(lane + 2) % 4] * 10;
    if lane == 0 { tile[1] += 1; }
    gridBarrier();
    out[id.x] += tile[1] * 1000;
}
