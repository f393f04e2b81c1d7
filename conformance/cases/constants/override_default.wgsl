// An override that isn't given keeps its default, and determines the sizes of arrays and workgroups.
// bind out = zeros u32 6
// expect out = u32 6 6 6 6 6 6
override width: u32 = 3;
override total = width * 2;
var<workgroup> tile: array<u32, total>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(total) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = total;
    workgroupBarrier();
    out[i] = tile[(i + 1) % total];
}
