// Workgroup memory lives across grid barriers, each workgroup's own.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 4809 5106 5403 5700 21 318 615 912 1233 1530 1827 2124 2445 2742 3039 3336 3657 3954 4251 4548
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    tile[lane] = i * 3;
    gridBarrier();
    out[i] = tile[3 - lane];
    gridBarrier();
    out[(i + 4) % 20] += tile[lane] * 100;
}
