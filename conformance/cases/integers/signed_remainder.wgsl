// The remainder has the sign of the dividend; x % 0 and MIN % -1 are 0.
// bind a = i32 -7 7 -2147483648 1 -2147483648 0 -6
// bind b = i32 2 -2 -1 0 0 0 -5
// bind out = zeros i32 7
// expect out = i32 -1 1 0 0 0 0 -1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(7) fn main(@builtin(local_invocation_index) i: u32) { out[i] = a[i] % b[i]; }
