// A loop with a barrier that ends when all have returned.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    var k = id.x % 7;
    loop {
        out[id.x] += 1;
        gridBarrier();
        if k == 0 { return; }
        k--;
    }
}
