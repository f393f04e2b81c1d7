// Workgroups of a few invocations, in rows: ids and guards are those of each.
// bind out = zeros u32 300
// bind ids = zeros u32 300
// workgroups 7 5 2
override row = 14u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> ids: array<u32>;
@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(workgroup_id) group: vec3u,
        @builtin(local_invocation_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = at.x + row * (at.y + 10u * at.z);
    if at.x == 13u || at.y > 8u {
        return;
    }
    out[i] = i * 3u + lane;
    ids[i] = group.x + 16u * group.y + 256u * place.x + 1024u * place.y;
}
