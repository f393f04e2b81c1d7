// Unsigned division and remainder; by zero: x and 0.
// bind a = u32 7 4294967295 4294967295 5 0
// bind b = u32 2 2 0 9 0
// bind out = zeros u32 10
// expect out = u32 3 2147483647 4294967295 0 0 1 1 0 5 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
    out[i + 5] = a[i] % b[i];
}
