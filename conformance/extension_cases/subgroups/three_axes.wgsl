// A workgroup of three axes: subgroups follow local_invocation_index, and every id is its own.
// workgroups 2
// bind a = random u32 240 7
// bind out = zeros u32 1440
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(6, 4, 5)
fn main(@builtin(local_invocation_index) i: u32, @builtin(local_invocation_id) own: vec3u,
        @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) group: u32) {
    let at = i + 120u * workgroup.x;
    let first = at * 6u;
    out[first] = own.x + 16u * own.y + 256u * own.z;
    out[first + 1u] = id.x + 256u * id.y + 65536u * id.z;
    out[first + 2u] = lane + 256u * group;
    out[first + 3u] = subgroupAdd(own.y * a[at]);
    out[first + 4u] = subgroupBroadcastFirst(own.x + 16u * own.z);
    out[first + 5u] = subgroupExclusiveAdd(id.x);
}
