// Counts of bits and zeros; of zero: 32.
// bind a = u32 0 1 2147483648 4294967295 80
// bind out = zeros u32 15
// expect out = u32 0 1 1 32 2 32 31 0 0 25 32 0 31 0 4
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = countOneBits(a[i]);
    out[i + 5] = countLeadingZeros(a[i]);
    out[i + 10] = countTrailingZeros(a[i]);
}
