// Several loads after one barrier, one with an index from another; one is out of bounds.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206 206
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    data[id.x] = (id.x * 3 + 7) % 20;
    gridBarrier();
    let a = gridUniformLoad(&data[5]);
    let b = gridUniformLoad(&data[a]);
    let c = gridUniformLoad(&data[b]);
    let d = gridUniformLoad(&data[a + b + c + 100]);
    out[id.x] = a * 100 + c + d;
}
