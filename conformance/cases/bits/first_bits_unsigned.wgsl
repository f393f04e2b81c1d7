// firstLeadingBit and firstTrailingBit of unsigned values; none: all bits.
// bind a = u32 0 1 4294967295 2147483648 40
// bind out = zeros u32 10
// expect out = u32 4294967295 0 31 31 5 4294967295 0 0 31 3
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
    out[i + 5] = firstTrailingBit(a[i]);
}
