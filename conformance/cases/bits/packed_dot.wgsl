// dot4U8Packed and dot4I8Packed.
// bind a = u32 16909060 4294967295
// bind b = u32 16909060 33620225
// bind out = zeros i32 4
// expect out = i32 30 1275 30 -5
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(dot4U8Packed(a[i], b[i]));
    out[i + 2] = dot4I8Packed(a[i], b[i]);
}
