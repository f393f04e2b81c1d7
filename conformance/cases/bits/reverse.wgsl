// reverseBits.
// bind a = u32 1 2147483648 4294967295 305419896
// bind out = zeros u32 4
// expect out = u32 2147483648 1 4294967295 510274632
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = reverseBits(a[i]); }
