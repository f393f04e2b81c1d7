// Every math function over random arguments: the same bits everywhere.
// workgroups 16
// bind a = random f32 1024 1
// bind b = random f32 1024 2
// bind out = zeros f32 19456
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let x = a[i] * 8.0 - 4.0;
    let y = b[i] * 8.0 - 4.0;
    let n = 1024u;
    out[i] = exp(x);
    out[i + n] = exp2(x);
    out[i + 2 * n] = log(abs(x));
    out[i + 3 * n] = log2(abs(x));
    out[i + 4 * n] = sin(x);
    out[i + 5 * n] = cos(x);
    out[i + 6 * n] = tan(x);
    out[i + 7 * n] = asin(x * 0.25);
    out[i + 8 * n] = acos(x * 0.25);
    out[i + 9 * n] = atan(x);
    out[i + 10 * n] = atan2(x, y);
    out[i + 11 * n] = sinh(x);
    out[i + 12 * n] = cosh(x);
    out[i + 13 * n] = tanh(x);
    out[i + 14 * n] = asinh(x);
    out[i + 15 * n] = acosh(1.0 + abs(x));
    out[i + 16 * n] = atanh(x * 0.2499);
    out[i + 17 * n] = pow(abs(x), y);
    out[i + 18 * n] = inverseSqrt(abs(x));
}
