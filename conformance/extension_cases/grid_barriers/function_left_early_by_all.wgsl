// In one turn, all leave a function before its barriers.
// bind data = iota u32 20
// bind turns = u32 3
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 111 113 115 117 119 121 123 125 127 129 131 133 135 137 139 141 143 145 127 129
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
fn step(i: u32, t: u32) -> u32 {
    data[i] += t + 1;
    if t == 1 { return 100; }
    gridBarrier();
    let s = data[(i + t) % 20];
    gridBarrier();
    return s + 1;
}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    var s = 0u;
    for (var t = 0u; t < turns; t++) { s += step(id.x, t); }
    out[id.x] = s;
}
