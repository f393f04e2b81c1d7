// Anything but zero is true; -0 is false, NaN is true; a bool becomes 0 or 1.
// bind a = f32 0 -0 2 nan
// bind out = zeros u32 4
// expect out = u32 0 0 1 1
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = u32(bool(a[i])); }
