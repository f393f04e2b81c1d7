// bitcast keeps bits between i32, u32 and f32, vectors too.
// bind a = f32 1 -2 -0 inf
// bind out = zeros u32 8
// expect out = u32 1065353216 3221225472 2147483648 2139095040 1065353216 3221225472 2147483648 2139095040
@group(0) @binding(0) var<storage, read> a: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u32>(a[i]);
    let v = bitcast<vec4i>(vec4f(a[0], a[1], a[2], a[3]));
    out[i + 4] = u32(v[i]);
}
