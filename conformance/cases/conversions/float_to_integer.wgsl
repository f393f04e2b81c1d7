// Conversions truncate toward zero and clamp to values that f32 can represent; NaN gives 0.
// bind a = f32 1.9 -1.9 3e9 -3e9 nan inf
// bind out = zeros i32 6
// bind outu = zeros u32 6
// expect out = i32 1 -1 2147483520 -2147483648 0 2147483520
// expect outu = u32 1 0 3000000000 0 0 4294967040
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<storage, read_write> outu: array<u32>;
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
    outu[i] = u32(a[i]);
}
