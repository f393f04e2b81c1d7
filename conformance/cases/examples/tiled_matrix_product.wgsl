// C = A * B, 32 x 32, in 8 x 8 tiles of workgroup memory.
// workgroups 4 4
// bind a = random f32 1024 3
// bind b = random f32 1024 4
// bind c = zeros f32 1024
const n = 32u;
const t = 8u;
var<workgroup> ta: array<array<f32, t>, t>;
var<workgroup> tb: array<array<f32, t>, t>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(t, t)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {
    var sum = 0.0;
    for (var k = 0u; k < n; k += t) {
        ta[l.y][l.x] = a[id.y * n + k + l.x];
        tb[l.y][l.x] = b[(k + l.y) * n + id.x];
        workgroupBarrier();
        for (var j = 0u; j < t; j++) { sum += ta[l.y][j] * tb[j][l.x]; }
        workgroupBarrier();
    }
    c[id.y * n + id.x] = sum;
}
