// The floating-point remainder truncates its quotient and has the dividend's sign.
// bind a = f32 5.5 -5.5 5.5 -5.5 3
// bind b = f32 2 2 -2 -2 1.5
// bind out = zeros f32 5
// expect out = f32 1.5 -1.5 1.5 -1.5 0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) { out[i] = a[i] % b[i]; }
