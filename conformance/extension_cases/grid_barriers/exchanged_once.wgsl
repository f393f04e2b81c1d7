// The results of exchanges before the barrier have each number once.
// bind out = zeros u32 21
// bind cell = u32 20
// workgroups 5
// expect out = u32 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// expect cell = u32 0
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> cell: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let old = atomicExchange(&cell, id.x);
    gridBarrier();
    out[old] += 1;
    gridBarrier();
    if id.x == 0 {
        out[atomicLoad(&cell)] += 1;
        atomicStore(&cell, 0);
    }
}
