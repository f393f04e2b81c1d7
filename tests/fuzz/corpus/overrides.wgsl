diagnostic(off, derivative_uniformity);
override block: u32 = 4;
@id(7) override scale = 2.5;
override twice = block * 2 + select(1u, 0u, scale > 2);
const table = array(1, 2, 3, 5, 8);
alias Row = array<f32, 4>;
const_assert table[4] == 8 && 1 << 4 == 16;
@group(0) @binding(0) var<storage, read_write> out: array<Row>;
var<workgroup> tile: array<f32, block>;
@compute @workgroup_size(block, 1 + 1) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    tile[id.x] = scale * f32(table[id.y] + i32(twice));
    workgroupBarrier();
    out[id.x][id.y] = tile[(id.x + 1) % block] + f32(0x1.8p3 - 1e-2);
}
