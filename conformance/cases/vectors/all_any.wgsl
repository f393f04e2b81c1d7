// all and any of bool vectors.
// bind a = u32 1 1 0 0
// bind out = zeros u32 4
// expect out = u32 1 0 1 0
@group(0) @binding(0) var<storage, read> a: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    let v = vec4(a[0] == 1, a[1] == 1, a[2] == 1, a[3] == 1);
    out[0] = u32(all(v.xy));
    out[1] = u32(all(v));
    out[2] = u32(any(v));
    out[3] = u32(any(v.zw));
}
