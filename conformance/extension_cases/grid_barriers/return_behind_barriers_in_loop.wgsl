// An invocation that is done returns after the barriers of a turn; its neighbours go on with its results.
// bind data = iota u32 20
// bind turns = u32 3
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 3 2300 600 900 1200 1500 1800 2100 2400 3 3 3 3 2 2 2 2 2 2 2
// expect data = u32 20 21 22 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var s = 0u;
    for (var j = 0u; j < turns; j++) {
        let v = data[i];
        gridBarrier();
        data[(i + 1) % 20] = v + 1;
        gridBarrier();
        s += v;
        if s > 25 { out[i] = j + 1; return; }
    }
    out[i] = s * 100;
}
