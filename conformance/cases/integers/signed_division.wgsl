// Signed division truncates toward zero; x / 0 is x; MIN / -1 is MIN.
// bind a = i32 -7 7 -2147483648 1 -2147483648 0 -5
// bind b = i32 2 -2 -1 0 0 0 -5
// bind out = zeros i32 7
// expect out = i32 -3 -3 -2147483648 1 -2147483648 0 1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(7) fn main(@builtin(local_invocation_index) i: u32) { out[i] = a[i] / b[i]; }
