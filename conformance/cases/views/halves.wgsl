// Each invocation stores its own f16 through a view: none touches its neighbour's half of the word.
// workgroups 3
// bind out = iota f16 200
// bind data = random f16 64 3
requires buffer_view;
enable f16;
struct S { a: f16, b: vec3h, c: f16, d: f32, e: array<f16, 3> }
@group(0) @binding(0) var<storage, read_write> out: buffer;
@group(0) @binding(1) var<storage, read> data: buffer;
var<workgroup> w: buffer<66>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
    let i = id.x;
    let mine = bufferView<array<f16>>(&w, 2);
    mine[l] = bufferView<array<f16>>(&data, 2)[l] - 1;
    workgroupBarrier();
    let all = bufferView<array<f16>>(&out, 2);
    for (var k = 0; k < 3; k++) { all[i] = all[i] * 1.5h - mine[l ^ 1]; }
    if i == 1 {
        let s = bufferView<S>(&out, 256);
        *s = *bufferView<S>(&data, 8);
        s.b.y = s.c;
        s.e[l] += 2;
        *bufferView<mat3x3<f16>>(&out, 304) = transpose(*bufferView<mat3x3<f16>>(&data, 16));
        *bufferView<vec4h>(&out, 336) = *bufferView<vec4h>(&data, 24);
        *bufferView<vec2h>(&out, 344) = bufferView<vec2h>(&data, 36).yx;
        *bufferView<u32>(&out, 352) = *bufferView<u32>(&data, 40);
        bufferView<vec3h>(&out, 360)[l + 1] = 7;
    }
}
