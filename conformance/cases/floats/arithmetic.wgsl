// + - * / are rounded to nearest even.
// bind a = f32 1 16777216 1 3.4028235e38
// bind b = f32 3 1 -1 2
// bind out = zeros f32 16
// expect out = f32 4 16777216 0 3.4028235e38 -2 16777215 2 3.4028235e38 3 16777216 -1 inf 0x1.555556p-2 16777216 -1 0x1.fffffep126
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
    out[i + 4] = a[i] - b[i];
    out[i + 8] = a[i] * b[i];
    out[i + 12] = a[i] / b[i];
}
