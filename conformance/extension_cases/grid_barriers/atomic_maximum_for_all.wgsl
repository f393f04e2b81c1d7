// After the barrier, all invocations read the maximum that they made together with an atomic.
// bind out = zeros i32 20
// bind best = i32 -5
// workgroups 5
// expect out = i32 16 9 2 15 8 1 14 7 0 13 6 -1 12 5 -2 11 4 -3 10 3
// expect best = i32 16
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> best: atomic<i32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let mine = i32((id.x * 7) % 20);
    atomicMax(&best, mine - 3);
    gridBarrier();
    out[id.x] = atomicLoad(&best) - mine;
}
