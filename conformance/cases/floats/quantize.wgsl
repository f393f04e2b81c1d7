// quantizeToF16 rounds to a half float's precision.
// bind a = f32 1.0009765625 1.0004 65504 -2
// bind out = zeros f32 4
// expect out = f32 1.0009765625 1 65504 -2
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = quantizeToF16(a[i]); }
