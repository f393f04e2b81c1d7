// Assigning or passing an array, a structure or a vector copies it; reversing a vector in place reads it first.
// bind out = zeros u32 6
// expect out = u32 1 9 3 2 1 4
struct S {
    a: array<u32, 2>,
}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn change(s: S) -> S {
    var t = s;
    t.a[0] = 9;
    return t;
}
@compute @workgroup_size(1) fn main() {
    var s = S(array(1u, 4u));
    let changed = change(s);
    out[0] = s.a[0];
    out[1] = changed.a[0];
    var v = vec3u(1, 2, 3);
    v = v.zyx;
    out[2] = v.x;
    out[3] = v.y;
    out[4] = v.z;
    let before = s.a;
    s.a[1] = 0;
    out[5] = before[1];
}
