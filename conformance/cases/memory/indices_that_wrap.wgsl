// Indices wrap modulo 2^32 before they are compared with the bound.
// bind words = u32 2147483653 5 4294967290
// bind a = iota u32 64
// bind out = zeros u32 64
// expect out = u32 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 5 0 0 0 5 0 0 0 5 0 0 0 5 0 0 0 0 0 0 3 6 9 12 15 18 21 24 27 30 33 36 39 5 4 3 2 1 0 0 0 0 0 0 0 0 0 0 0
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[(i << 31u) + words[0]];
    out[16u + i] = a[(i << 30u) + words[1]];
    out[32u + i] = a[(i * 3u) + words[2]];
    out[48u + i] = a[i32(words[1]) - i32(i)];
}
