// A buffer seen as numbers of 64 bits, their vectors, arrays, structures and matrices.
// bind src = random u32 64 11
// bind out = random u32 128 12
requires buffer_view;
enable muster_int64;
enable muster_float64;
struct Mixed { a: u32, b: vec3<u64>, c: array<i64, 3>, d: mat2x3<f64>, e: f64 }
@group(0) @binding(0) var<storage, read> src: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer<512>;
var<workgroup> tile: buffer<64>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = id.x * 16;
    *bufferView<u64>(&out, 0) = *bufferView<u64>(&src, 8) * 3;
    *bufferView<vec3<i64>>(&out, at + 32) = -*bufferView<vec3<i64>>(&src, at + 64);
    let numbers = bufferView<array<f64, 9>>(&out, 64);
    for (var i = 0u; i < 9; i++) { numbers[i] = f64(i) * 0.1lf - 3; }
    *bufferView<f64>(&out, at + 8) = (*numbers)[id.x + 7];
    let mixed = bufferView<Mixed>(&out, 256);
    mixed.a = 7;
    mixed.b = vec3<u64>(5, 0x123456789abcdeflu, 1lu << 63) ^ *bufferView<vec3<u64>>(&src, 96);
    mixed.c[id.x + 1] = *bufferView<i64>(&src, 200);
    mixed.d[1].y = 0.7lf;
    mixed.d = mixed.d * 0.5lf;
    mixed.e = f64((*mixed).c[1]);
    bufferView<array<u64>>(&tile, 0)[id.x + 7] = 1lu << 40;
    *bufferView<u64>(&out, 136) = (*bufferView<array<u64, 8>>(&tile, at))[7] + u64(bufferLength(&tile));
    *bufferView<u64>(&out, at + 512) = 1;
}
