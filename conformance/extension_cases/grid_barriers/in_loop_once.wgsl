// Barriers in a loop whose number of turns is a uniform: one turn.
// bind data = iota u32 20
// bind turns = u32 1
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 0
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var sum = 0u;
    for (var t = 0u; t < turns; t++) {
        data[i] = sum + i + t;
        gridBarrier();
        sum += data[(i + t + 1) % 20];
        gridBarrier();
    }
    out[i] = sum;
}
