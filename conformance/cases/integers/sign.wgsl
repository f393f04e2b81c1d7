// sign of integers.
// bind a = i32 -2147483648 -1 0 9
// bind out = zeros i32 4
// expect out = i32 -1 -1 0 1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = sign(a[i]); }
