// Barriers in a nested loop, whose length depends on the outer one, and after it.
// bind data = iota u32 20
// bind turns = u32 3
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 736 1100 1464 1828 2192 2556 2920 3284 3648 4012 4376 4740 5104 5468 5832 6196 6560 6924 7028 5232
// expect data = u32 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var s = 0u;
    for (var a = 0u; a < turns; a++) {
        for (var b = 0u; b <= a; b++) {
            data[i] += b + 1;
            gridBarrier();
            s = s * 3 + data[(i + a) % 20];
            gridBarrier();
        }
        data[i] += a;
        gridBarrier();
    }
    out[i] = s;
}
