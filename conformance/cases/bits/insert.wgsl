// insertBits replaces count bits from offset on; both are clamped to the width.
// bind a = u32 0 4294967295 0 7 0
// bind b = u32 15 0 5 9 4294967295
// bind offset = u32 4 8 31 99 0
// bind count = u32 4 8 9 4 32
// bind out = zeros u32 5
// expect out = u32 240 4294902015 2147483648 7 4294967295
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> offset: array<u32>;
@group(0) @binding(3) var<storage, read> count: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = insertBits(a[i], b[i], offset[i], count[i]);
}
