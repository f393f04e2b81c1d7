// extractBits of a signed value extends the sign; offset and count are clamped to the width.
// bind a = i32 -1 240 240 240 -2147483648
// bind offset = u32 0 4 4 40 31
// bind count = u32 0 4 3 4 9
// bind out = zeros i32 5
// expect out = i32 0 -1 -1 0 -1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], offset[i], count[i]);
}
