// An invocation that left a function early keeps its variables, which the others change after that, past the next barrier.
// bind out = zeros u32 8
// expect out = u32 1 1 1 1 5 5 5 5
var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn f(p: ptr<function, u32>, i: u32) {
    tile[i] = i;
    workgroupBarrier();
    if (tile[7u - i] > 3u) { return; }
    *p = 5u;
}
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    var v = 1u;
    f(&v, i);
    workgroupBarrier();
    out[i] = v;
}
