// A loop's counter, which decides about barriers, is also data for the code around them.
// bind data = iota u32 20
// bind turns = u32 9
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 705 1060 1495 1210 1085 1880 795 1470 1825 980 1335 1650 725 1240 2235 830 1745 2100 1135 1470
// expect data = u32 1210 795 980 725 830 1135 1060 1085 1470 1335 1240 1745 1470 1495 1880 1825 1650 2235 2100 705
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var s = 0u;
    for (var step = 1u; step < turns; step <<= 1) {
        out[i] += step * data[(i + step) % 20] + s;
        gridBarrier();
        data[i] = out[(i * 3 + s) % 20];
        gridBarrier();
        s++;
    }
}
