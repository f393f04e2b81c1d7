// Vectors are made from scalars and vectors in any mixture, from one scalar, from another type's vector, from nothing.
// bind out = zeros i32 20
// expect out = i32 1 2 3 4 7 7 7 7 5 6 7 8 1 -1 2 0 0 0 0 0
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
fn put(at: u32, v: vec4i) { for (var n = 0u; n < 4; n++) { out[at + n] = v[n]; } }
@compute @workgroup_size(1) fn main() {
    let two = vec2(2, 3);
    put(0, vec4(1, two, 4));
    put(4, vec4i(7));
    put(8, vec4(vec2(5, 6), vec2i(vec2f(7.9, 8.1))));
    put(12, vec4i(vec4f(1.5, -1.5, 2.9, -0.5)));
    put(16, vec4<i32>());
}
