// An atomic before a grid barrier happens once, and its result is kept.
// bind out = zeros u32 20
// bind counts = zeros u32 20
// bind counter = zeros u32 1
// workgroups 5
// expect out = u32 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// expect counts = u32 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20
// expect counter = u32 20
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> counter: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let place = atomicAdd(&counter, 1);
    gridBarrier();
    out[place] += 1;
    counts[id.x] = atomicLoad(&counter);
}
