// (a + b) + c and a + (b + c) differ, and stay as written.
// bind a = f32 1e20 -1e20 1
// bind out = zeros f32 2
// expect out = f32 1 0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = (a[0] + a[1]) + a[2];
    out[1] = a[0] + (a[1] + a[2]);
}
