// Members are at the offsets of WGSL's layout rules, @align and @size; vec3 takes 12 bytes, aligned to 16.
// bind in = iota u32 48
// bind out = zeros u32 10
// expect out = u32 0 4 7 8 24 28 31 32 36 1
struct Inner {
    a: u32,
    @align(16) b: vec3u,
    c: u32,
}
struct Outer {
    inner: Inner,
    @size(64) d: u32,
    e: vec2u,
    @align(16) f: array<vec3u, 1>,
    g: array<u32>,
}
@group(0) @binding(0) var<storage, read> in: Outer;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = in.inner.a;
    out[1] = in.inner.b.x;
    out[2] = in.inner.c;
    out[3] = in.d;
    out[4] = in.e.x;
    out[5] = in.f[0].x;
    out[6] = in.f[0].z + 1;
    out[7] = in.g[0];
    out[8] = in.g[4];
    out[9] = u32(arrayLength(&in.g) == 16);
}
