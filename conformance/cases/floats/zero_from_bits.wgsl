// Zeros made from integers' bits give NaN with infinity.
// bind a = f32 inf 0
// bind out = zeros f32 3
// expect out = f32 nan nan nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    let v = a[0];
    var sum = 0.0f;
    for (var i = 0u; i < 2u; i++) { sum += bitcast<f32>(i) * v; }
    out[0] = sum;
    let bits = bitcast<u32>(a[1]);
    if bits == 0u { out[1] = bitcast<f32>(bits) * v; }
    out[2] = ldexp(0.0f, i32(a[1]) + 1) * v;
}
