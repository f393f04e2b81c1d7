// A barrier in a loop with a uniform condition.
// workgroups 2
// bind a = iota f32 32
// bind out = zeros f32 2
// expect out = f32 120 376
var<workgroup> tile: array<f32, 16>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32,
        @builtin(workgroup_id) group: vec3u) {
    tile[i] = a[id.x];
    for (var half = 8u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if i < half { tile[i] += tile[i + half]; }
    }
    if i == 0u { out[group.x] = tile[0]; }
}
