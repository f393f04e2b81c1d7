// Conversions and bitcasts between 64-bit integers and every other scalar.
// bind x = i64 5 -9223372036854775808 123456789012345 -7 9223372036854775807 -1 0 4294967295
// bind f = f32 1.5 -1e30 1e30 -0.75 16777217 9.3e18 -9.3e18 5e9
// bind out = zeros i64 88
enable muster_int64, f16, muster_int8_int16;
@group(0) @binding(0) var<storage> x: array<i64, 8>;
@group(0) @binding(1) var<storage> f: array<f32, 8>;
@group(0) @binding(2) var<storage, read_write> out: array<i64, 88>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    out[i] = i64(i32(a)) + i64(u32(a));
    out[8 + i] = i64(u8(u32(a))) * 1000 + i64(i16(i32(a)));
    out[16 + i] = i64(bitcast<u32>(f32(a)));
    out[24 + i] = i64(bitcast<u32>(f32(u64(a))));
    out[32 + i] = i64(f[i]);
    out[40 + i] = i64(u64(f[i]));
    out[48 + i] = i64(f16(f[i])) + i64(u64(f16(f[i])));
    out[56 + i] = i64(bitcast<u32>(vec2(f16(a), f16(u64(a)))));
    out[64 + i] = i64(bitcast<vec2<u32>>(a).y) ^ bitcast<i64>(vec2<f32>(f[i], f32(i)));
    out[72 + i] = bitcast<i64>(bitcast<vec4<f16>>(a));
    out[80 + i] = bitcast<i64>(vec2<i32>(i32(i), -1)) + i64(bool(a));
}
