// Matrices of f64, and functions of vectors of f64.
// bind a = random f64 24 5
// bind x = f64 3 4 1e200 -2e200 1e-200 2e-200 0.5 -0.25
// bind out = zeros f64 160
enable muster_float64;
struct Frame { turn: mat3x3<f64>, scale: mat2x4<f64>, shift: vec3<f64> }
@group(0) @binding(0) var<storage> a: Frame;
@group(0) @binding(1) var<storage> x: array<vec2<f64>, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<f64, 160>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let v = vec3(x[i], 0.75);
    var m = a.turn * 0.5lf + mat3x3<f64>(1, 2, 3, 4, 5, 6, 7, 8, 10);
    m[i % 3].y -= v.x;
    let moved = m * vec3(1.0lf, f64(i), 0.25) + a.shift;
    let all = transpose(a.scale) * a.scale;
    out[i] = moved.x;
    out[4 + i] = moved[i % 3];
    out[8 + i] = determinant(m);
    out[12 + i] = determinant(all) + (all * all)[i & 1][i >> 1];
    out[16 + i] = (vec4<f64>(v, 1) * mat3x4<f64>(vec4(1.0lf), vec4<f64>(v.zyx, 2), vec4<f64>(v, 0))).y;
    out[20 + i] = length(x[i]);
    out[24 + i] = distance(x[i], x[3 - i]);
    out[28 + i] = normalize(x[i]).y;
    out[32 + i] = smoothstep(-1, 2, x[i].x * 1e-200);
    out[36 + i] = degrees(x[i].y) + radians(x[i].x);
    out[40 + i] = refract(normalize(x[i]), vec2<f64>(0.6, 0.8), 0.9).x;
    out[44 + i] = modf(x[i].x * 1.1lf).fract + modf(x[i].y).whole;
    out[48 + i] = f64(mat2x2<f32>(mat2x2<f64>(v.x, 2, 3, v.y))[1].y * 1e-38);
    out[52 + i] = length(vec4<f64>(5e-324, 0, f64(i) * 5e-324, 0)) + length(-v.x);
}
