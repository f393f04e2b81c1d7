// Arithmetic on f64, its rounding and its functions.
// bind x = f64 1.5 -0.0 1e300 -3.25 4503599627370497.5 0.1 -1e-320 7
// bind y = f64 -2 0 1e300 0.7 0.5 0.2 3 -0.0
// bind out = zeros f64 176
enable muster_float64;
@group(0) @binding(0) var<storage> x: array<f64, 8>;
@group(0) @binding(1) var<storage> y: array<f64, 8>;
@group(0) @binding(2) var<storage, read_write> out: array<f64, 176>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    let b = y[i];
    out[i] = a + b;
    out[8 + i] = a - b;
    out[16 + i] = a * b;
    out[24 + i] = a / b;
    out[32 + i] = a % b;
    out[40 + i] = min(a, b);
    out[48 + i] = max(a, b);
    out[56 + i] = floor(a) + ceil(b);
    out[64 + i] = round(a * 0.5lf) - trunc(a);
    out[72 + i] = sqrt(abs(a));
    out[80 + i] = fma(a, b, -a * b);
    out[88 + i] = select(-a, b, a < b);
    out[96 + i] = clamp(a, -1, 1) + saturate(b);
    out[104 + i] = mix(a, b, 0.3lf);
    out[112 + i] = fract(a) + step(a, b) + sign(b);
    out[120 + i] = dot(vec3(a, b, 0.1), vec3<f64>(0.1, 3, b));
    out[128 + i] = cross(vec3(a, b, 1), vec3(b, 0.3, a)).z;
    out[136 + i] = reflect(vec2(a, b), vec2<f64>(0.6, 0.8)).y;
    out[144 + i] = f64(a == b) + 2 * f64(a <= b) + 4 * f64(a != a);
    out[152 + i] = max(a / 0.0lf * b, b);
    out[160 + i] = min(-0.0lf, a - a);
    out[168 + i] = 1.0lf / (a - a + 3);
}
