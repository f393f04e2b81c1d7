// Between barriers invocations diverge, and meet again.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1 1 2 4 7 1 11 2 4 7 21 1 2 4 31 1 1 2 35 7
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var s = 0u;
    for (var j = 0u; j < i % 5; j++) {
        s += data[j];
        if s > 4 { break; }
    }
    out[i] = s;
    gridBarrier();
    if i % 4 == 2 {
        for (var j = 0u; j < i; j++) { s += out[j]; }
    }
    gridBarrier();
    out[i] = s + 1;
}
