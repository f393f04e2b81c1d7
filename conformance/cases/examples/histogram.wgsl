// Private counts in workgroup memory, then added to the global ones.
// workgroups 4
// bind a = random u32 1024 7
// bind out = zeros u32 16
var<workgroup> bins: array<atomic<u32>, 16>;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>, 16>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < 4u; k++) { atomicAdd(&bins[a[id.x * 4u + k] >> 28u], 1u); }
    workgroupBarrier();
    if i < 16u { atomicAdd(&out[i], atomicLoad(&bins[i])); }
}
