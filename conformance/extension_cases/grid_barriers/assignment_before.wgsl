// A variable keeps the value assigned before a grid barrier.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 29 35 41 47 53 59 65 71 77 83 89 35 41 47 53 59 65 71 77 83
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var v = i;
    v = v * 3 + 1;
    data[i] = v;
    gridBarrier();
    v += data[(i + 9) % 20];
    gridBarrier();
    out[i] = v;
}
