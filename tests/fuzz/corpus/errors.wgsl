fn f(a: i32) -> f32 { return g(a, 1.5, &b); }
struct S { a: array<S>, b: undefined }
@group(0) var<storage> s: S;
override x: vec3f = 1 / 0;
const y: u32 = -1;
@compute @workgroup_size(0, x) fn main(@builtin(position) p: vec4f) {
    if (p.x) { let y = y; y = 3; } else if { } return 1;
    for (;;) {}
    a[1 <<= 2; var<function, read> q = array<f32, 0>();
    workgroupBarrier(
}
