requires buffer_view;
struct Inner { a: vec3f, b: u32, c: array<vec2i, 3> }
@group(0) @binding(0) var<storage, read> src: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer<256>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = id.x * 16;
    *bufferView<vec4u>(&out, at) = *bufferView<vec4u>(&src, 16);
    let inner = bufferView<Inner>(&out, 96);
    if (id.x == 1) { inner.c[2].y += 7; inner.a = inner.a.zyx * 2; }
    let words = bufferView<array<u32>>(&src, at);
    (*bufferView<array<u32, 8>>(&out, 160))[id.x] = words[id.x + 3] + arrayLength(words);
}
