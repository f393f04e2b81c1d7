// Some return before the first barrier, some workgroups before the second.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect data = u32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
// expect out = u32 5 6 7 8 18 7 22 24 7 14 15 7 8 16 7 11 1 7 3 4
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
    let i = id.x;
    data[i] += 1;
    if data[i] % 3 == 0 { out[i] = 7; return; }
    gridBarrier();
    if group.x % 2 == 0 { out[i] = data[(i + 4) % 20]; return; }
    gridBarrier();
    out[i] = data[(i + 8) % 20] + out[(i + 16) % 20];
}
