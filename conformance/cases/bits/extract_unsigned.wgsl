// extractBits of an unsigned value fills with zeros.
// bind a = u32 4294967295 240 240 240 4294967295
// bind offset = u32 0 4 4 40 31
// bind count = u32 32 4 3 4 9
// bind out = zeros u32 5
// expect out = u32 4294967295 15 7 0 1
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], offset[i], count[i]);
}
