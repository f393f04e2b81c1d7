// A variable declared in a loop is zero again each turn, and lives across the barrier within a turn.
// bind data = iota u32 20
// bind turns = u32 3
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 22 3 6 5 10 7 14 9 18 11 22 13 26 15 30 17 34 19 38 21
// expect data = u32 2 21 2 3 2 5 2 7 2 9 2 11 2 13 2 15 2 17 2 19
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    for (var t = 0u; t < turns; t++) {
        var fresh: u32;
        if i % 2 == t % 2 { fresh += data[i]; }
        gridBarrier();
        data[(i + 1) % 20] = fresh + t;
        fresh += 1;
        gridBarrier();
        out[i] += fresh;
    }
}
