// Packing scales, rounds half up and clamps; unpacking inverts it.
// bind a = f32 0 1 -1 0.5
// bind out = zeros u32 5
// expect out = u32 2147548928 1082228480 1073774591 10 3212836864
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    let v = vec4(a[0], a[1], a[2], a[3]);
    out[0] = pack4x8unorm(v);
    out[1] = pack4x8snorm(v);
    out[2] = pack2x16snorm(v.yw);
    out[3] = u32(unpack4x8unorm(out[0]).y * 10.0);
    out[4] = bitcast<u32>(unpack2x16snorm(0x7fff8000u).x);
}
