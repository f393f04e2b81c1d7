// Buffers in workgroup and uniform memory, and pointers to views as parameters.
// workgroups 2
// bind n = u32 0 1 2 3 1065353216 3221225472 1056964608 1077936128 8 9 10 11 12 13 14 15
// bind out = zeros f32 96
requires buffer_view;
struct P { scale: vec2f, bias: vec2f }
override words = 64;
var<workgroup> w: buffer<words * 4>;
@group(0) @binding(0) var<uniform> n: buffer<64>;
@group(0) @binding(1) var<storage, read_write> out: buffer;
fn put(to: ptr<workgroup, buffer>, i: u32, v: vec2f) { *bufferView<vec2f>(to, i * 8) = v; }
fn apply(p: ptr<uniform, P>, v: vec2f) -> vec2f { return (*p).scale * v + (*p).bias; }
fn sum(p: ptr<workgroup, array<f32>>) -> f32 {
    var s = 0.0;
    for (var i = 0u; i < arrayLength(p); i++) { s += p[i]; }
    return s;
}
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
    let counts = bufferView<array<u32>>(&n, 0);
    put(&w, l, vec2f(f32(l), f32(counts[l])));
    put(&w, l + 30, vec2f(1, 2));
    workgroupBarrier();
    let mirrored = *bufferView<vec2f>(&w, (15 - l) * 8);
    *bufferView<vec2f>(&out, id.x * 8) = mirrored * f32(arrayLength(counts));
    let total = sum(bufferArrayView<array<f32>>(&w, 64, 128));
    let shared_pair = workgroupUniformLoad(bufferView<vec2f>(&w, 248));
    if l == 0 {
        *bufferView<vec4f>(&out, 256 + id.x) = vec4f(total, shared_pair, f32(bufferLength(&w)));
        *bufferView<vec2f>(&out, 320 + id.x / 2) = apply(bufferView<P>(&n, 16), mirrored);
    }
}
