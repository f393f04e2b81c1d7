// Workgroup barriers and a grid barrier: sums of prefixes over the whole grid.
// bind data = iota u32 20
// bind out = zeros u32 20
// bind totals = zeros u32 5
// workgroups 5
// expect out = u32 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 136 153 171 190
// expect totals = u32 6 22 38 54 70
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    tile[lane] = data[id.x];
    workgroupBarrier();
    var s = 0u;
    for (var j = 0u; j <= lane; j++) { s += tile[j]; }
    out[id.x] = s;
    if lane == 3 { totals[group.x] = s; }
    gridBarrier();
    for (var j = 0u; j < group.x; j++) { out[id.x] += totals[j]; }
}
