// Vectors of bytes: whole, by component, with an index that the kernel computes, swizzled, and converted.
// bind pixels = u8 1 2 3 255 10 20 30 40 100 200 50 0
// bind signs = i16 -1 2 -3 4 -32768 32767
// bind out = zeros u8 12
// bind sums = zeros i32 4
// expect out = u8 3 2 1 255 30 20 10 40 200 200 0 7
// expect sums = i32 261 100 350 -32767
enable muster_int8_int16;
@group(0) @binding(0) var<storage> pixels: array<vec4<u8>>;
@group(0) @binding(1) var<storage> signs: array<vec2<i16>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u8>, 3>;
@group(0) @binding(3) var<storage, read_write> sums: array<i32, 4>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    let pixel = pixels[i];
    out[i] = vec4(pixel.bgr, pixel.a);
    let wide = vec4u(pixel);
    sums[i] = i32(wide.x + wide.y + wide.z + wide.w);
    if (i == 1) { return; }
    var last = pixels[2];
    out[2] = vec4<u8>(vec4(vec2u(last.gg), 256, 7));
    for (var k = 0; k < 4; k++) { sums[2] += i32(last[k]); }
    let s = vec2i(signs[2]);
    sums[3] = s.x + 1;
    sums[3] += i32(signs[1].x) + i32(signs[1][i + 1]) - 1;
}
