// Constant structures and arrays are arguments and results of functions, and values of variables that change later.
// bind out = zeros f32 12
// expect out = f32 6.5 4 10 2 5 20 100 3 7 0 0 9
struct Part { scale: f32, v: vec3f }
const half = Part(0.5, vec3f(1, 2, 3));
const parts = array<Part, 2>(half, Part(4, vec3f()));
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn total(part: Part) -> f32 { return part.scale + part.v.x + part.v.y + part.v.z; }
fn weighed(weights: array<f32, 3>, at: u32) -> f32 { return weights[at] * 2; }
fn made(which: u32) -> array<f32, 3> {
    if (which == 0) { return array<f32, 3>(); }
    return array(1f, 5f, 9f);
}
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = total(half);
    out[1] = total(parts[i + 1]);
    out[2] = weighed(array(3f, 4f, 5f), i + 2);
    var changed = parts;
    changed[i].scale = 100;
    changed[i + 1].v[i + 2] = 3;
    out[3] = half.v[i + 1];
    out[4] = made(1)[i + 1];
    out[5] = weighed(array(10f, 0, 0), i);
    out[6] = changed[0].scale;
    out[7] = changed[1].v.z;
    out[8] = total(changed[1]);
    out[9] = made(0)[i + 2];
    out[10] = parts[i + 1].v.z;
    out[11] = made(i + 1)[2];
}
