// The negation and the magnitude of MIN are MIN.
// bind a = i32 -2147483648 5 -5 0
// bind out = zeros i32 8
// expect out = i32 -2147483648 -5 5 0 -2147483648 5 5 0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = -a[i];
    out[i + 4] = abs(a[i]);
}
