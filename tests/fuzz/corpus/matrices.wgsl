struct M { a: mat3x3f, b: array<mat2x4f, 2> }
@group(0) @binding(0) var<uniform> m: M;
@group(0) @binding(1) var<storage, read_write> out: array<mat4x4f>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    var t = transpose(m.a) * determinant(m.a) - m.a * m.a;
    t[id.x % 3] = m.a[1] * t + t * vec3f(1, 2, 3);
    let p = m.b[1] * mat2x2f(1, 2, 3, 4);
    out[id.x][id.y] += vec4f(t[1], t[0][id.x]);
    out[id.x][3].w = p[1].z;
    out[id.x] *= 2;
}
