// Constant zeros keep their sign, and have their effect on NaN and infinity.
// bind a = f32 -4.5 0 -0 2 inf -inf nan 0x1p-126
// bind out = zeros f32 128
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let v = a[i];
    let made = array(
        v + 0.0, 0.0 + v, v - 0.0, 0.0 - v,
        v + -0.0, v - -0.0, v * 0.0, v * -0.0,
        v / 0.0, v / -0.0, 0.0 / v, v % 0.0,
        v - v, fma(v, 0.0, 0.0), mix(v, 3.0, 0.0), dot(vec2f(v, 0.0), vec2f(0.0, v)));
    for (var k = 0u; k < 16u; k++) {
        out[16u * i + k] = made[k];
    }
}
