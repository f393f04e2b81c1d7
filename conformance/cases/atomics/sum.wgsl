// Additions from all invocations of all workgroups are counted.
// workgroups 8
// bind out = zeros u32 1
// expect out = u32 2080
@group(0) @binding(0) var<storage, read_write> out: atomic<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) { atomicAdd(&out, id.x + 1u); }
