// The writes of neighbours in two rounds are seen in order.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect data = u32 60 65 70 75 80 85 90 95 0 5 10 15 20 25 30 35 40 45 50 55
// expect out = u32 30 35 40 45 50 55 60 65 70 75 80 85 90 95 0 5 10 15 20 25
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    data[i] = i * 5;
    gridBarrier();
    out[i] = data[(i + 6) % 20];
    gridBarrier();
    data[i] = out[(i + 6) % 20];
}
