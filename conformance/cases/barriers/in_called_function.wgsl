// A barrier in a function that is called in uniform control flow.
// bind out = zeros u32 4
// expect out = u32 3 2 1 0
var<workgroup> tile: array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn exchange(i: u32) -> u32 {
    tile[i] = i;
    workgroupBarrier();
    return tile[3u - i];
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = exchange(i); }
