// Atomics in workgroup memory count per workgroup.
// workgroups 3
// bind out = zeros u32 3
// expect out = u32 16 16 16
var<workgroup> count: atomic<u32>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    atomicAdd(&count, 1u);
    workgroupBarrier();
    if i == 0u { out[group.x] = atomicLoad(&count); }
}
