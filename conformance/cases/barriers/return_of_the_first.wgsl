// The first invocations return after a barrier; the others go on.
// bind u = u32 0 0 0 0
// bind out = zeros u32 16
// expect out = u32 0 0 0 0 11 10 9 8 7 6 5 4 3 2 1 0
var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: vec4u;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    workgroupBarrier();
    if (i < 4u) { return; }
    if (u.x == 1u) { return; }
    out[i] = tile[15u - i];
}
