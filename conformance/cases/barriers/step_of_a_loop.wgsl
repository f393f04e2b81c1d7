// A loop around a barrier goes through memory with a step that is read from workgroup memory.
// bind u = u32 1 0 0 0
// bind a = iota u32 2048
// bind out = zeros u32 16
// expect out = u32 4823 4667 4511 4355 4199 4043 3887 3731 3575 3419 3263 3107 2951 2795 2639 2483
var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: vec4u;
@group(0) @binding(2) var<storage, read> a: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    if (u.x == 1u) { out[i] = 1u; if (u.y == 1u) { return; } }
    tile[i] = i * 40u;
    workgroupBarrier();
    let step = tile[10] + 3u;
    var at = i;
    for (var k = 0u; k < 4u; k++) {
        out[i] += a[at] + tile[15u - i];
        workgroupBarrier();
        tile[i] += k;
        workgroupBarrier();
        at += step;
    }
}
