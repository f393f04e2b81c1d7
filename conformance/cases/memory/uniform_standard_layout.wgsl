// Uniforms with the layout that storage has: structures and arrays at any multiple of 4 bytes.
// bind small = f32 1 2 3 4 5 6
// bind large = iota u32 150
// bind out = zeros f32 8
// expect out = f32 1 3 6 2 7 149 100 0
requires uniform_buffer_standard_layout;
struct Inner {
    x: f32,
}
struct Small {
    a: Inner,
    b: f32,
    c: array<f32, 4>,
}
struct Large {
    head: array<vec2<u32>, 3>,
    odd: Inner,
    many: array<u32, 143>,
}
@group(0) @binding(0) var<uniform> small: Small;
@group(0) @binding(1) var<uniform> large: Large;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = small.a.x;
    out[1] = small.c[0];
    out[2] = small.c[large.head[1].y];
    out[3] = f32(large.head[1].x);
    out[4] = f32(large.many[0]);
    out[5] = f32(large.many[142]);
    out[6] = f32(large.many[large.many[86]]);
}
