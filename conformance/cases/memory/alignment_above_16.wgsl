// Bindings whose types are aligned to 64 work in memory that is aligned to 16 and no more.
// bind in = iota u32 48
// bind out = zeros u32 64
// expect out = u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 36 37 38 39 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 0 0 0 0 0 0 0 0 0 0 0 0
struct Line {
    @align(64) a: vec4u,
}
struct Lines {
    first: u32,
    @align(64) second: u32,
    third: array<Line, 2>,
}
struct Given {
    @align(32) a: vec4u,
    @align(32) b: array<vec4u>,
}
@group(0) @binding(0) var<storage, read> in: Given;
@group(0) @binding(1) var<storage, read_write> out: Lines;
@compute @workgroup_size(1) fn main() {
    out.second = in.a.x + 17;
    out.third[0].a = in.b[7];
    let copied = Line(in.a + in.a.yyyy);
    out.third[1] = copied;
}
