// sqrt is correctly rounded; of a negative number: NaN.
// bind a = f32 2 4 0 0x1p-126 3.4028235e38 -1
// bind out = zeros f32 6
// expect out = f32 0x1.6a09e6p0 2 0 0x1p-63 0x1.fffffep63 nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) { out[i] = sqrt(a[i]); }
