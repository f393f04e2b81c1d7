enable muster_int64, muster_float64, f16;
struct Wide { a: u32, b: i64, c: vec3<f64>, d: array<u64, 3> }
@group(0) @binding(0) var<storage, read_write> wides: array<Wide>;
@group(0) @binding(1) var<storage, read_write> totals: array<atomic<u64>, 2>;
var<workgroup> tile: array<atomic<i64>, 4>;
const large = 0x9e3779b97f4a7c15lu;
fn mixed(x: u64, k: u32) -> f64 { return f64(x >> k) * 0.5lf + bitcast<f64>(vec2(k, 7u)); }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let w = wides[i];
    let v = fma(w.c, vec3(2.0lf), vec3(f64(f16(1.5))));
    atomicAdd(&totals[i % 2], u64(w.a) * large);
    atomicMax(&tile[i], w.b % -7li);
    workgroupBarrier();
    wides[i].b = select(i64(v.x), -w.b, countOneBits(w.d[i]) > 9) + atomicLoad(&tile[3 - i]);
    wides[i].c.y = min(mixed(w.d[1], i), sqrt(abs(v.z)));
}
