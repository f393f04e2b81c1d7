// and, or, xor and complement on integers and on bools.
// bind a = u32 12 255
// bind b = u32 10 256
// bind out = zeros u32 12
// expect out = u32 8 0 14 511 6 511 4294967283 4294967040 1 0 1 1
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] & b[i];
    out[i + 2] = a[i] | b[i];
    out[i + 4] = a[i] ^ b[i];
    out[i + 6] = ~a[i];
    out[i + 8] = u32((a[i] > 5u) & (b[i] < 100u));
    out[i + 10] = u32((a[i] > 5u) | (b[i] < 100u));
}
