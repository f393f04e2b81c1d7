// a * b + c is rounded twice, and fma once.
// bind a = f32 0x1.000002p0 0x1.fffffep-1
// bind c = f32 -0x1.000004p0 -0x1.fffffcp-1
// bind out = zeros f32 4
// expect out = f32 0 0 0x1p-46 0x1p-48
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> c: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * a[i] + c[i];
    out[i + 2] = fma(a[i], a[i], c[i]);
}
