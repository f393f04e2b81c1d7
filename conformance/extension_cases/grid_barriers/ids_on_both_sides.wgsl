// Built-in values of a grid of three dimensions, on both sides of a barrier.
// bind data = iota u32 24
// bind out = zeros u32 24
// workgroups 2 2 3
// expect out = u32 2130000 2120001 2110009 2100010 2030010 2020011 2010019 2000020 1130100 1120101 1110109 1100110 1030110 1020111 1010119 1000120 130200 120201 110209 100210 30210 20211 10219 220
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u,
    @builtin(workgroup_id) group: vec3u) {
    let i = id.x + 4 * id.y + 8 * id.z;
    data[i] = id.x + 10 * id.y + 100 * id.z;
    gridBarrier();
    let n = groups.x * 2 * groups.y * groups.z;
    out[i] = data[n - 1 - i] * 10000 + id.x + 10 * id.y + 100 * id.z + group.x * 7;
}
