// Built-in values over a grid of three dimensions.
// workgroups 2 2 1
// bind out = zeros u32 32
// expect out = u32 0 101 210 311 1002 1103 1212 1313 2020 2121 2230 2331 3022 3123 3232 3333 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 221
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2, 2) fn main(
    @builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_id) local: vec3u,
    @builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) count: vec3u) {
    let g = group.y * count.x + group.x;
    out[g * 4u + index] = g * 1000u + index * 100u + global.y * 10u + global.x
        + 0u * (local.x + local.y);
    if g == 3u && index == 3u { out[31] = count.x * 100u + count.y * 10u + count.z; }
}
