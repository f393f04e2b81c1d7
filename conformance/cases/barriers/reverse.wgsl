// An invocation's store before a barrier is visible to another one's load after it.
// workgroups 2
// bind out = zeros u32 16
// expect out = u32 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8
var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
    tile[i] = id.x;
    workgroupBarrier();
    out[id.x] = tile[7u - i];
}
