// A buffer seen as every kind of type: what is stored as one is loaded as another; padding keeps its bytes.
// bind src = iota u32 64
// bind out = random u32 160 7
requires buffer_view;
struct Inner { a: vec3f, b: u32, c: array<vec2i, 3> }
struct Outer { m: mat3x3f, @size(16) n: i32, inner: array<Inner, 2> }
@group(0) @binding(0) var<storage, read> src: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer<640>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = id.x * 8;
    *bufferView<vec4u>(&out, 0) = *bufferView<vec4u>(&src, 16);
    *bufferView<vec3i>(&out, at + 16) = -*bufferView<vec3i>(&src, at + 36);
    let floats = bufferView<array<f32, 40>>(&out, 32);
    for (var i = 0u; i < 40; i++) { floats[i] = f32(i) * 0.5 - 3; }
    let outer = bufferView<Outer>(&out, 192);
    *outer = *bufferView<Outer>(&out, at);
    outer.m = transpose(*bufferView<mat3x3f>(&out, 48)) * 2;
    outer.inner[id.x + 1].a = (*outer).m[id.y + 2].zyx;
    outer.inner[1].c[id.x + 2].y += outer.n;
    let words = bufferView<array<u32, 100>>(&out, at + 240);
    let before = *words;
    words[99] = before[7] + before[98];
    (*bufferView<array<array<u32, 5>, 14>>(&out, at + 360))[id.x + 13] = *bufferView<array<u32, 5>>(&src, 100);
}
