// Zeros that are computed from constants in variables give NaN with infinity.
// bind a = f32 inf
// bind out = zeros f32 8
// expect out = f32 nan nan nan nan nan nan nan nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    let v = a[0];
    var cut = 0.5f;
    cut = trunc(cut);
    out[0] = cut * v;
    var less = vec2f(2.0, 2.0);
    less -= vec2f(2.0);
    out[1] = less.x * v;
    var tiny = 0x1p-100f;
    tiny *= tiny;
    out[2] = tiny * v;
    var half = 1e-30f;
    half = quantizeToF16(half);
    out[3] = half * v;
    for (var f = -2.0f; f < 1.0; f += 1.0) { out[4] = f * v; }
    let huge = 3e38f;
    out[5] = 1.0f / (huge * huge) * v;
    var yes = true;
    out[6] = (f32(yes) - 1.0) * v;
    var chosen = 0.25f;
    if v < 0.0 { chosen = 0.25f; }
    out[7] = (chosen - 0.25f) * v;
}
