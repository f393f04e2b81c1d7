// One workgroup leaves the function before its memory is overwritten.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 55 55 55 55 70 60 50 40 55 55 55 55 55 55 55 55 55 55 55 55
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
fn overwrite(i: u32, lane: u32, group: u32) {
    gridBarrier();
    if group == 1 { return; }
    tile[lane] = 5;
    workgroupBarrier();
    out[i] += tile[3 - lane];
}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    tile[lane] = id.x;
    overwrite(id.x, lane, group.x);
    gridBarrier();
    out[id.x] += tile[3 - lane] * 10;
}
