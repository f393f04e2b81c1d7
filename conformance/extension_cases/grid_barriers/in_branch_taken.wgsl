// A barrier in a branch that all take.
// bind data = iota u32 20
// bind turns = u32 3
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 43
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var v = i;
    data[i] = i * 2;
    if turns > 2 {
        v += 5;
        gridBarrier();
        v += data[19 - i];
    } else {
        v *= 3;
    }
    gridBarrier();
    data[i] = v;
    gridBarrier();
    out[i] = data[(i + 1) % 20];
}
