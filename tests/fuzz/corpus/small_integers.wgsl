enable muster_int8_int16;
struct Q { scale: f32, low: u8, high: i16, v: array<i8, 6> }
@group(0) @binding(0) var<storage> q: array<Q>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;
@group(0) @binding(2) var<storage, read_write> bytes: array<i8>;
var<workgroup> tile: array<u8, 16>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = q[0].low;
    workgroupBarrier();
    let n = i32(q[i % 4].v[i % 6]) * i32(q[1].high) + i32(tile[15 - i]);
    out[i] = u16(n);
    bytes[i] = i8(i32(f32(n) * q[0].scale));
}
