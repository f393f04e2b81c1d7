// Conversions and bitcasts between f64 and every other scalar.
// bind x = f64 1.5 -1e30 1e30 -0.75 16777217 9.3e18 2147483647.9 -4294967296.5 1e-40 65519.99999 1.00048828125000001 0
// bind out = zeros u64 120
enable muster_float64, muster_int64, f16;
@group(0) @binding(0) var<storage> x: array<f64, 12>;
@group(0) @binding(1) var<storage, read_write> out: array<u64, 120>;
@compute @workgroup_size(12) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    out[i] = u64(bitcast<u32>(i32(a)));
    out[12 + i] = u64(u32(a));
    out[24 + i] = bitcast<u64>(i64(a));
    out[36 + i] = u64(a);
    out[48 + i] = u64(bitcast<u32>(f32(a)));
    out[60 + i] = u64(bitcast<u32>(vec2(f16(a), f16(-a))));
    out[72 + i] = bitcast<u64>(f64(f32(a)) + f64(i32(i) - 5) + f64(i * 1000000000)) + u64(bool(a));
    out[84 + i] = bitcast<u64>(f64(bitcast<i64>(a))) ^ bitcast<u64>(f64(bitcast<u64>(a)));
    out[96 + i] = bitcast<u64>(f64(f16(a))) + bitcast<u64>(bitcast<vec4<f16>>(a).zwxy);
    out[108 + i] = bitcast<u64>((a - a) / (a - a)) + u64(bitcast<vec2<u32>>(a).y);
}
