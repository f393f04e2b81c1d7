// Sums in products of matrices are taken from the first column to the last, and rounded each time.
// bind m = random f32 64 1
// bind v = random f32 16 2
// bind out = zeros f32 128
@group(0) @binding(0) var<storage> m: array<mat4x4f>;
@group(0) @binding(1) var<storage> v: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let a = m[i];
    let b = m[3 - i];
    let x = v[i];
    let small = mat3x4f(a[3], b[0], a[1]);
    out[i * 8] = a * x;
    out[i * 8 + 1] = x * a;
    let c = a * b;
    out[i * 8 + 2] = c[i];
    out[i * 8 + 3] = c[(i + 1) % 4];
    out[i * 8 + 4] = small * x.zxy;
    out[i * 8 + 5] = vec4f(x * small, dot(x, b[i]));
    out[i * 8 + 6] = (small * mat2x3f(x.xyz, x.wyx))[i % 2];
    out[i * 8 + 7] = (transpose(small) * a)[i].xyzx;
}
