// The branch that overwrites all of a workgroup's memory isn't taken: the memory keeps its contents.
// bind out = zeros u32 20
// bind which = u32 2
// workgroups 5
// expect out = u32 4 3 2 1 8 7 6 5 12 11 10 9 16 15 14 13 20 19 18 17
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> which: u32;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = id.x + 1;
    gridBarrier();
    if which == 7 {
        tile[lane] = 5;
        workgroupBarrier();
        out[id.x] += tile[3 - lane];
    }
    gridBarrier();
    out[id.x] += tile[3 - lane];
}
