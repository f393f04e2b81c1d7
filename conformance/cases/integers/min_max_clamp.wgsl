// Signed and unsigned minimum, maximum and clamp; clamp is min(max(e, low), high) also where low > high.
// bind a = i32 -5 3 2147483647 -1
// bind out = zeros i32 16
// expect out = i32 -5 1 1 -1 1 3 2147483647 1 -2 3 4 -1 -3 -3 -3 -3
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], 1);
    out[i + 4] = max(a[i], 1);
    out[i + 8] = clamp(a[i], -2, 4);
    let low = a[0] + 10;
    out[i + 12] = clamp(a[i], low, -3);
}
