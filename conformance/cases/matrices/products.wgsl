// Matrices times matrices, vectors and scalars, on both sides.
// bind a = f32 -2 4 3 -3 0 4 2 5 4 -4 4 -5
// bind b = f32 2 -1 3 -2 -2 2 3 3
// bind v = f32 2 1 5 -3
// bind w = f32 -2 5 -3
// bind out = zeros f32 22
// expect out = f32 13 15 24 -8 19 -1 15 21 45 15 -6 9 43 -6 0 8 12 -12 15 4 10 8
@group(0) @binding(0) var<storage, read> a: array<f32, 12>;
@group(0) @binding(1) var<storage, read> b: mat2x4f;
@group(0) @binding(2) var<storage, read> v: vec4f;
@group(0) @binding(3) var<storage, read> w: vec3f;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
fn put(at: u32, value: vec3f) {
    out[at] = value.x;
    out[at + 1] = value.y;
    out[at + 2] = value.z;
}
@compute @workgroup_size(1) fn main() {
    let m = mat4x3(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    let product = m * b;
    put(0, product[0]);
    put(3, product[1]);
    put(6, m * v);
    let row = w * m;
    put(9, row.xyz);
    out[12] = row.w;
    put(13, (2 * m)[1]);
    put(16, (m * -3)[3]);
    put(19, (m + m - (m - m))[2]);
}
