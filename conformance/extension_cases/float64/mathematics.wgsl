// The math functions of f64: the same bits everywhere.
// bind x = f64 0.3 -1.75 1e5 -2.5e200 1.0000000001 -0.0 6.5e-5 703.25
// bind y = f64 2.5 -3 0.001 7 -1e9 0.5 -0.75 0.1
// bind out = zeros f64 176
enable muster_float64;
@group(0) @binding(0) var<storage> x: array<f64, 8>;
@group(0) @binding(1) var<storage> y: array<f64, 8>;
@group(0) @binding(2) var<storage, read_write> out: array<f64, 176>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    let b = y[i];
    out[i] = exp(a);
    out[8 + i] = exp2(b);
    out[16 + i] = log(abs(a));
    out[24 + i] = log2(vec2(abs(a), b)).x;
    out[32 + i] = sin(a);
    out[40 + i] = cos(vec3(b, a, a)).y;
    out[48 + i] = tan(a);
    out[56 + i] = asin(b * 0.3lf);
    out[64 + i] = acos(fract(a));
    out[72 + i] = atan(a);
    out[80 + i] = sinh(a);
    out[88 + i] = cosh(b);
    out[96 + i] = tanh(a);
    out[104 + i] = asinh(a);
    out[112 + i] = acosh(abs(a) + 0.5);
    out[120 + i] = atanh(fract(b));
    out[128 + i] = inverseSqrt(abs(a));
    out[136 + i] = pow(abs(a), b);
    out[144 + i] = pow(round(b), 3);
    out[152 + i] = atan2(a, b);
    let parts = frexp(a);
    out[160 + i] = parts.fract + f64(parts.exp);
    out[168 + i] = ldexp(b, i32(i) * 25 - 70);
}
