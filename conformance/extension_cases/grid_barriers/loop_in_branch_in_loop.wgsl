// Barriers in a loop in a branch in a loop.
// bind data = iota u32 20
// bind turns = u32 4
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 100 110 120 130 140 150 160 170 180 190 200 210 220 30 40 50 60 70 80 90
// expect data = u32 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var s = 0u;
    for (var t = 0u; t < turns; t++) {
        if t % 2 == 0 {
            var u = 0u;
            while u <= t {
                data[i] += 1 + u;
                gridBarrier();
                s += data[(i + 7) % 20];
                gridBarrier();
                u++;
            }
        } else {
            s *= 2;
        }
    }
    out[i] = s;
}
