// Pointers to elements and members: as lets, as parameters, with `p.x` and `p[i]` for (*p).x and (*p)[i].
// bind out = zeros u32 6
// expect out = u32 7 5 6 30 3 9
struct S {
    a: array<vec2u, 3>,
    b: u32,
}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> s: S;
fn bump(p: ptr<private, S>, by: u32) -> u32 {
    let element = &p.a[by];
    element.x += 5;
    (*element).y = element.x + 1;
    p.b++;
    let v = *element;
    element.x = 30;
    return v.x;
}
fn store(p: ptr<storage, u32, read_write>, value: u32) { *p = value; }
@compute @workgroup_size(1) fn main() {
    s.b = 6;
    let x = bump(&s, 2);
    store(&out[0], s.b);
    out[1] = x;
    store(&out[2], s.a[2].y);
    out[3] = s.a[2][0];
    var local = array(1u, 2u, 3u);
    var i = 2;
    let third = &local[i];
    i = 0;
    store(&out[4], *third);
    *third = 9;
    out[5] = local[2];
}
