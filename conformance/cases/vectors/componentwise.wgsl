// Operators act on components; scalars apply to each.
// bind a = f32 1 2 3 4
// bind out = zeros f32 12
// expect out = f32 2 4 6 8 11 12 13 14 1 1 0 0
@group(0) @binding(0) var<storage, read> a: vec4f;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f, 3>;
@compute @workgroup_size(1) fn main() {
    out[0] = a * 2.0;
    out[1] = 10.0 + a;
    out[2] = select(vec4f(), vec4f(1.0), a < vec4f(3.0));
}
