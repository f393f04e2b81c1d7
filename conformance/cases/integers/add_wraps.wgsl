// Signed and unsigned addition, subtraction and multiplication wrap.
// bind a = i32 2147483647 -2147483648 65536 -1
// bind b = i32 1 1 65536 -1
// bind out = zeros i32 12
// expect out = i32 -2147483648 -2147483647 131072 -2 2147483646 2147483647 0 0 2147483647 -2147483648 0 1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
    out[i + 4] = a[i] - b[i];
    out[i + 8] = a[i] * b[i];
}
