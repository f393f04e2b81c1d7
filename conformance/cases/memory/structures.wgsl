// Members are at the offsets of WGSL's layout; values of structures are copied whole.
// bind s = f32 1 2 0 0 3 4 5 6 7 0 0 0
// bind out = zeros f32 12
// expect out = f32 1 2 0 0 3 4 5 7 14 0 0 0
struct Inner { a: vec3f, b: f32 }
struct Outer { head: vec2f, inner: Inner, tail: f32 }
@group(0) @binding(0) var<storage, read> s: Outer;
@group(0) @binding(1) var<storage, read_write> out: Outer;
@compute @workgroup_size(1) fn main() {
    var copy = s;
    copy.inner.b = s.inner.b + 1.0;
    copy.tail *= 2.0;
    out = copy;
}
