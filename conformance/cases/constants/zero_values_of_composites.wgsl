// Zero values of structures, arrays of structures and arrays of arrays, as constants and as variables that are then written in part.
// bind out = zeros u32 16
// expect out = u32 0 0 0 5 0 0 0 9 0 1 0 6 2 0 0 1
struct Inner { v: vec3u, on: bool }
struct Outer { inner: array<Inner, 2>, last: u32 }
const nothing = Outer();
const rows = array<array<u32, 3>, 2>();
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> kept = Outer(array(Inner(vec3u(1, 2, 3), true), Inner()), 6);
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = nothing.last;
    out[1] = nothing.inner[i].v[i + 1] + u32(nothing.inner[i + 1].on);
    out[2] = rows[i + 1][i + 2];
    var outer = nothing;
    outer.inner[i + 1].v[i] = 5;
    out[3] = outer.inner[1].v.x;
    out[4] = outer.inner[0].v.x + outer.inner[1].v.y;
    var copy = rows;
    copy[i][i + 2] = 9;
    out[5] = copy[0][0];
    out[6] = copy[1][2];
    out[7] = copy[0][2];
    out[8] = u32(kept.inner[i + 1].on);
    out[9] = u32(kept.inner[i].on);
    out[10] = kept.inner[1].v[i + 2];
    out[11] = kept.last;
    out[12] = kept.inner[i].v[i + 1];
    kept = Outer();
    out[13] = kept.inner[0].v.y;
    out[14] = kept.last + u32(kept.inner[i].on);
    out[15] = u32(all(kept.inner[i].v == vec3u()));
}
