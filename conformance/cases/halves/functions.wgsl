// Functions of f16 give what those of f32 give, rounded once.
// bind x = f16 0 -0.0 0.1 0.5 1 -1 1.5 2 3 7 10 -10 100 1000 65504 0x1p-24 -0x1p-14 inf -inf nan 0.333 0.9 1.1 11 12 5.5 2.5 -2.5 0.001 300 -0.7 40
// bind out = zeros f16 832
enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    let b = x[(i + 7) % 32];
    let all = array(exp(a), exp2(a), log(a), log2(a), sin(a), cos(a), tan(a), asin(a), acos(a), atan(a), atan2(a, b),
                    sinh(a), cosh(a), tanh(a), asinh(a), acosh(a), atanh(a), pow(abs(a), b), inverseSqrt(a), sqrt(a),
                    a % b, min(a, b), max(a, b), round(a), floor(a), trunc(a));
    for (var k = 0u; k < 26; k++) { out[k * 32 + i] = all[k]; }
}
