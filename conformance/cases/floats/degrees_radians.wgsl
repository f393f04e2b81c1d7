// degrees and radians multiply by one constant each.
// bind a = f32 180 0 90
// bind out = zeros f32 3
// expect out = f32 0x1.921fb6p1 0 0x1.921fb6p0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) { out[i] = radians(a[i]); }
