// Invocations are numbered within subgroups, and these within the workgroup, by local_invocation_index.
// workgroups 3
// bind a = random u32 384 7
// bind out = zeros u32 1920
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_id) group: u32, @builtin(num_subgroups) groups: u32,
        @builtin(workgroup_id) workgroup: vec3u) {
    let first = (i + 128u * workgroup.x) * 5u;
    out[first] = lane;
    out[first + 1u] = size;
    out[first + 2u] = group;
    out[first + 3u] = groups;
    out[first + 4u] = subgroupAdd(a[i + 128u * workgroup.x]);
}
