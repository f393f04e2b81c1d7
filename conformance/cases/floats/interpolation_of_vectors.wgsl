// mix of vectors, by a scalar and by a vector.
// bind a = f32 0 1 2 3
// bind out = zeros f32 8
// expect out = f32 2 3 4 5 0 1.5 4 7.5
@group(0) @binding(0) var<storage, read> a: vec4f;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f, 2>;
@compute @workgroup_size(1) fn main() {
    out[0] = mix(a, a + 4.0, 0.5);
    out[1] = mix(a, 2.0 * a, vec4f(0.0, 0.5, 1.0, 1.5));
}
