// A variable of a structure with a vector begins with a constant; the vector is given or zero.
// bind t = f32 4 0.5 2 0.25
// bind out = zeros f32 20
// expect out = f32 1e30 0 0 -1 0.5 0.5 1 1 0.5 0.5 1 1 0.25 0.25 1 3 1 2 3 0
struct Hit { t: f32, normal: vec3f, which: i32 }
struct S { a: f32, v: vec3f }
@group(0) @binding(0) var<storage, read> t: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
    var hit = Hit(1e30, vec3f(), -1);
    for (var k = 0u; k <= id; k++) {
        if t[k] < 1 && t[k] < hit.t { hit = Hit(t[k], vec3f(t[k], 0, 1), i32(k)); }
    }
    out[4 * id] = hit.t;
    out[4 * id + 1] = hit.normal.x;
    out[4 * id + 2] = hit.normal.z;
    out[4 * id + 3] = f32(hit.which);
    var s = S(1, vec3f(1, 2, 3));
    out[16 + id] = s.v[id];
}
