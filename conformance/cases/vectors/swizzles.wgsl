// Reading any components in any order, writing one component.
// bind a = f32 1 2 3 4
// bind out = zeros f32 8
// expect out = f32 4 3 2 1 2 2 9 4
@group(0) @binding(0) var<storage, read> a: vec4f;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f, 2>;
@compute @workgroup_size(1) fn main() {
    out[0] = a.wzyx;
    var v = a.yyzw;
    v.z = 9.0;
    out[1] = v;
}
