// Conversions round to nearest even.
// bind a = i32 16777217 -2147483648 2147483647 -1
// bind out = zeros f32 8
// expect out = f32 16777216 -2147483648 2147483648 -1 16777216 2147483648 2147483648 4294967296
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
    out[i + 4] = f32(u32(a[i]));
}
