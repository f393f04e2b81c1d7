enable f16;
struct Pair { low: f16, high: vec2h }
@group(0) @binding(0) var<storage, read_write> out: array<vec4h>;
@group(0) @binding(1) var<storage> pairs: array<Pair>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let a = pairs[i].low;
    let b = pairs[i].high.yx;
    var v = vec4h(b, a, f16(i)) * 2.5h + fma(b, b, vec2h(a)).xyxy;
    v.z = exp(a) / sqrt(abs(b.x)) + f16(f32(a) * 3);
    v = select(v, -v, v < vec4h(0, 1, 2, 65504));
    out[i] = max(v, bitcast<vec4h>(vec2u(i, 0x3c003c00)));
}
