// firstLeadingBit of a signed value finds the highest bit that differs from the sign; none: -1.
// bind a = i32 0 -1 1 -2 2147483647 -2147483648
// bind out = zeros i32 12
// expect out = i32 -1 -1 0 0 30 30 -1 0 0 1 0 31
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
    out[i + 6] = firstTrailingBit(a[i]);
}
