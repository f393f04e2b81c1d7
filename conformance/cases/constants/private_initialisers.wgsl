// Private variables begin with constants of every kind, anew in each invocation.
// bind out = zeros u32 16
// expect out = u32 25 11 2 1 26 12 3 1 45 13 4 1 28 14 5 1
struct P { v: vec3i, f: array<vec4f, 2>, b: vec2<bool> }
var<private> rows: array<vec3u, 2> = array(vec3u(1, 2, 3), vec3u(4, 5, 6));
var<private> flags: vec3<bool> = vec3(true, false, true);
var<private> p = P(vec3i(-1, -2, -3), array(vec4f(0.5), vec4f(1, 2, 3, 4)), vec2(false, true));
var<private> empty: array<P, 2> = array<P, 2>();
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
    rows[id & 1].y += id;
    p.f[1][id] *= 2;
    empty[1].v.x += i32(id) + p.v.x;
    out[4 * id] = 10 * rows[0].y + rows[1].y;
    out[4 * id + 1] = u32(dot(p.f[1], vec4f(1)));
    out[4 * id + 2] = u32(empty[1].v.x - p.v.z);
    out[4 * id + 3] = u32(all(flags == vec3(true, false, true)) && p.b.y && !empty[0].b.x);
}
