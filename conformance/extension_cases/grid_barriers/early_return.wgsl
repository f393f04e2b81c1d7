// An invocation that has returned counts as arrived, and does nothing more.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect data = u32 100 101 102 103 104 105 106 107 108 109 110 111 112 13 14 15 16 17 18 19
// expect out = u32 112 111 110 109 108 107 106 105 104 103 102 101 100 0 0 0 0 0 0 0
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i >= 13 { return; }
    data[i] += 100;
    gridBarrier();
    out[i] = data[12 - i];
}
