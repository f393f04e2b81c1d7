// Integer dot products wrap.
// bind a = i32 65536 65536 3 4
// bind out = zeros i32 2
// expect out = i32 25 0
@group(0) @binding(0) var<storage, read> a: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(1) fn main() {
    out[0] = dot(vec2(a[2], a[3]), vec2(a[2], a[3]));
    out[1] = dot(vec2(a[0], 0), vec2(a[1], 7));
}
