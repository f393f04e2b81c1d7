// Vectors and structures element after element: whole runs, guarded ones, and the ends of a binding.
// bind source = random f32 400 3
// bind pairs = iota u32 120
// bind to = zeros f32 400
// bind out = zeros u32 400
// invocations 70 1 1
struct Pair { key: u32, value: u32, weight: f32 }
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read_write> to: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec2u>;
var<workgroup> shared_points: array<vec3f, 32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let a = source[i];
    let b = source[i + 3u].zw;
    shared_points[lane] = a.xyz;
    workgroupBarrier();
    let across = shared_points[31u - lane];
    if i % 3u != 1u {
        to[i] = vec4f(a.x + b.x, across.yz, b.y);
    }
    out[i] = vec2u(pairs[i].value, pairs[i - 2u].key);
    if i < 40u {
        let whole = pairs[i];
        out[i + 100u] = vec2u(whole.key, whole.value + u32(whole.weight));
    }
}
