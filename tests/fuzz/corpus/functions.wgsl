struct Out { fraction: vec2f, bits: u32, flags: vec3<bool> }
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
fn made(x: f32, w: u32) -> Out {
    let parts = modf(x);
    let split = frexp(x * 3);
    var o = Out(vec2f(parts.fract, split.fract), extractBits(w, 3, 9), vec3(x > 1, w < 4, split.exp == 2));
    o.bits = insertBits(o.bits, reverseBits(w), 4, 5) + countOneBits(w) + firstLeadingBit(w) + dot4U8Packed(w, w);
    return o;
}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let o = made(f32(words[id.x]) * 0.01, words[id.x + 1]);
    let v = vec3f(o.fraction, 1);
    if (any(o.flags) || !all(o.flags.xy)) {
        out[id.x] = vec4f(normalize(cross(v, v.zxy)), pow(abs(v.x), 1.5)) + unpack4x8snorm(o.bits);
    } else {
        out[id.x] = mix(vec4f(sin(v), atan2(v.x, v.y)), vec4f(clamp(v, vec3f(0), vec3f(1)), tanh(v.z)), 0.25);
    }
    out[id.x].w = bitcast<f32>(pack2x16float(o.fraction)) + smoothstep(0, 1, v.x) + f32((i32(v.y) / -7 % 3) >> 1);
}
